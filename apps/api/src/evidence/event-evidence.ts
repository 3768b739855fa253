import { Inject, Injectable } from '@nestjs/common';
import { verifyProof } from '@ssb/events';
import { didHasAddress, recoverSigner } from '@ssb/identity';
import { ProblemException, SETTINGS } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import type { ChannelTrust, EvidenceSigner, UnsignedEvidence } from 'settlement-bus-downstream';
import type { OpenEvidence } from 'settlement-bus-downstream/checks';
import { maySee, type Caller } from '../access/caller.js';
import { findId } from '../database/find-id.js';
import type { Settings } from '../settings.js';
import { DeliveryRecords } from './delivery-records.js';
import { KeyHistory } from './key-history.js';

interface ArchivedRow {
  readonly channel: string;
  readonly messageId: string;
  readonly sender: string;
  readonly origin: string;
  readonly signature: string;
  readonly timestampNanos: string;
  readonly archivedAt: Date;
  readonly text: string;
  readonly marks: readonly string[];
}

/** Reads what proves an event. */
@Injectable()
export class EventEvidence {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyHistory,
    private readonly deliveries: DeliveryRecords,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SIGNATURE_SCHEME'>,
  ) {}

  /**
   * Undefined when there is no such event that the caller may see.
   * @param beginning an id, or a beginning that names one event
   * @throws ProblemException 409 when several events begin with it, or its row is not what was signed
   */
  async read(caller: Caller, beginning: string): Promise<OpenEvidence | undefined> {
    const eventId = await findId(this.database, caller, beginning);
    if (eventId === undefined) return undefined;
    const [row] = await this.database.query<ArchivedRow>(
      `SELECT channel, message_id AS "messageId", sender, origin, signature, appended_at_nanos::text AS "timestampNanos",
              archived_at AS "archivedAt", event AS text, marks FROM archive WHERE event_id = $1`,
      [eventId],
    );
    if (row === undefined) return undefined;
    const event = JSON.parse(row.text) as Record<string, unknown>;
    const record = {
      version: 1 as const,
      exportedAt: new Date().toISOString(),
      eventId,
      event,
      archived: { at: row.archivedAt.toISOString(), marks: row.marks },
      problemIds: await this.listProblemIds(caller, eventId),
      deliveries: await this.deliveries.list(caller, eventId),
    };
    if (row.marks.includes('local'))
      return { ...record, event: event as UnsignedEvidence['event'], unsigned: true };
    const signatureScheme = this.settings.SIGNATURE_SCHEME;
    return {
      ...record,
      signatureScheme,
      message: {
        id: row.messageId,
        fqcn: row.channel,
        // The subscriber archives only messages whose topic is that of their event.
        topic: String(event['topic']),
        payload: row.text,
        signature: row.signature,
        sender: row.sender,
        timestampNanos: row.timestampNanos,
      },
      ...recoverSigners(row, event, signatureScheme),
      trusted: visibleTo(caller, await this.keys.findTrusted(row.channel, row.archivedAt)),
    };
  }

  private async listProblemIds(caller: Caller, eventId: string): Promise<readonly string[]> {
    const rows = await this.database.query<{ id: string; participant: string }>(
      `SELECT DISTINCT problem_id AS id, participant FROM problem_change JOIN problem USING (problem_id)
       WHERE problem_change.event_id = $1 ORDER BY id`,
      [eventId],
    );
    return rows.filter(({ participant }) => maySee(caller, participant)).map(({ id }) => id);
  }
}

/** @throws ProblemException 409 */
function recoverSigners(
  { text, signature, sender, origin }: ArchivedRow,
  event: Readonly<Record<string, unknown>>,
  scheme: Settings['SIGNATURE_SCHEME'],
): { readonly gateway: EvidenceSigner; readonly origin: EvidenceSigner } {
  const recovery = recoverSigner(text, signature, scheme);
  const proof = verifyProof(event, [origin]);
  if (!recovery.ok || !didHasAddress(sender, recovery.address) || !proof.ok)
    throw new ProblemException(
      409,
      'Conflict',
      'The signatures in the archive are not those of the event. Compare SIGNATURE_SCHEME of the API with that of the subscriber, and the row with a backup.',
    );
  return {
    gateway: { did: sender, publicKey: recovery.publicKey },
    origin: { did: origin, publicKey: proof.publicKey },
  };
}

/** An origin without a participant that the caller may see is left out. */
function visibleTo(caller: Caller, { gateways, origins }: ChannelTrust): ChannelTrust {
  return {
    gateways,
    origins: origins.flatMap((entry) => {
      const participants = entry.participants.filter((code) => maySee(caller, code));
      return participants.length === 0 ? [] : [{ ...entry, participants }];
    }),
  };
}
