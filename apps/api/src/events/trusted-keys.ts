import { Injectable } from '@nestjs/common';
import { Database } from '@ssb/postgres';
import { maySee, type Caller } from '../access/caller.js';
import { presentMembers } from '../database/present-members.js';
import type { Signer, Verdict } from './event-detail-dto.js';

/** The signed parts of an archived event. */
interface SignedRow {
  readonly channel: string;
  readonly sender: string;
  readonly origin: string;
  /** As PostgreSQL writes it; a Date would cut off microseconds. */
  readonly archivedAt: string;
}

type Signers = Required<Pick<Verdict, 'gateway' | 'origin'>>;

const MEANINGS: Readonly<Record<string, string>> = {
  late: 'The fact was published, or the event was signed, long before the subscriber archived it.',
  clockSkew: 'The bus appended the message before the event was signed, so one of the two clocks is wrong.',
  local: 'The subscriber wrote the event itself, so it has no signature.',
};

/** Reads which keys were trusted, and when. */
@Injectable()
export class TrustedKeys {
  constructor(private readonly database: Database) {}

  /** Who signed, with the interval of the key that has the time of the archive. */
  async findSigners(caller: Caller, row: SignedRow): Promise<Signers> {
    return {
      gateway: await this.findSigner(caller, row, 'gateway', row.sender),
      origin: await this.findSigner(caller, row, 'origin', row.origin),
    };
  }

  private async findSigner(
    caller: Caller,
    { channel, archivedAt }: SignedRow,
    role: 'gateway' | 'origin',
    did: string,
  ): Promise<Signer> {
    // The last 42 characters of a DID are its address, in any case of the letters.
    const [revoked] = await this.database.query<{ revokedSince: Date | null }>(
      `SELECT min(revoked_since) AS "revokedSince" FROM revoked_key WHERE lower(right(did, 42)) = lower(right($1, 42)) AND withdrawn_at IS NULL`,
      [did],
    );
    const [key] = await this.database.query<{
      trustedFrom: Date | null;
      trustedUntil: Date | null;
      participants: readonly string[];
    }>(
      `SELECT NULLIF(trusted_from, '-infinity') AS "trustedFrom", trusted_until AS "trustedUntil", participants FROM trusted_key
       WHERE channel = $1 AND role = $2 AND lower(right(did, 42)) = lower(right($3, 42))
         AND trusted_from <= $4 AND coalesce(trusted_until, 'infinity') >= $4
       ORDER BY trusted_from DESC LIMIT 1`,
      [channel, role, did, archivedAt],
    );
    const participants = key?.participants.filter((code) => maySee(caller, code));
    return {
      did,
      trusted: key !== undefined,
      ...presentMembers({
        trustedFrom: key?.trustedFrom ?? null,
        trustedUntil: key?.trustedUntil ?? null,
        revokedSince: revoked?.revokedSince ?? null,
      }),
      ...(role === 'origin' && participants !== undefined && { participants }),
    };
  }
}

export function describeVerdict(marks: readonly string[], signers: Signers | undefined): Verdict {
  return {
    signed: signers !== undefined,
    ...signers,
    marks: marks.map((mark) => ({ mark, meaning: MEANINGS[mark] ?? 'A mark of a later release.' })),
  };
}
