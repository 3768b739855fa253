import { Injectable } from '@nestjs/common';
import { verifyProof } from '@ssb/events';
import { didHasAddress, recoverSigner, SIGNATURE_SCHEMES, type SignatureScheme } from '@ssb/identity';
import { ProblemException } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import type { ChannelTrust, SignedEvidence, UnsignedEvidence } from 'settlement-bus-downstream';
import type { OpenEvidence } from 'settlement-bus-downstream/checks';
import { maySee, type Caller } from '../access/caller.js';
import { findArchivedEvent, listProblemsOfEvent, type ArchivedEvent } from '../events/archived-event.js';
import { DeliveryRecords } from './delivery-records.js';
import { KeyHistory } from './key-history.js';

/** Reads what proves an event. */
@Injectable()
export class EventEvidence {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyHistory,
    private readonly deliveries: DeliveryRecords,
  ) {}

  /**
   * What proves an event that the caller may see.
   * @param beginning its id, or the first 6 characters or more
   * @throws ProblemException 409 when several begin so, or its row is not what was signed
   */
  async read(caller: Caller, beginning: string): Promise<OpenEvidence | undefined> {
    const row = await findArchivedEvent(this.database, caller, beginning);
    if (row === undefined) return undefined;
    const { id: eventId } = row;
    const problems = await listProblemsOfEvent(this.database, caller, eventId);
    const event = JSON.parse(row.text) as Record<string, unknown>;
    const record = {
      version: 1 as const,
      exportedAt: new Date().toISOString(),
      eventId,
      event,
      archived: { at: row.archivedAt.toISOString(), marks: row.marks },
      problemIds: [...new Set(problems.map(({ id }) => id))],
      deliveries: await this.deliveries.list(caller, eventId),
    };
    if (row.marks.includes('local'))
      return { ...record, event: event as UnsignedEvidence['event'], unsigned: true };
    return {
      ...record,
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
      ...recoverSigners(row, event),
      trusted: visibleTo(caller, await this.keys.findTrusted(row.channel, row.archivedAtText)),
    };
  }
}

/** @throws ProblemException 409 */
function recoverSigners(
  row: ArchivedEvent,
  event: Readonly<Record<string, unknown>>,
): Pick<SignedEvidence, 'signatureScheme' | 'gateway' | 'origin'> {
  const gateway = recoverGateway(row);
  const { sender, origin } = row;
  const proof = verifyProof(event, [origin]);
  if (gateway === undefined || !proof.ok)
    throw new ProblemException(
      409,
      'Conflict',
      'The signatures in the archive are not those of the event. Compare the row with a backup.',
    );
  return {
    signatureScheme: gateway.scheme,
    gateway: { did: sender, publicKey: gateway.publicKey },
    origin: { did: origin, publicKey: proof.publicKey },
  };
}

/** The archive does not say how a gateway signed, so every scheme is tried. */
function recoverGateway({
  text,
  signature,
  sender,
}: ArchivedEvent): { readonly scheme: SignatureScheme; readonly publicKey: string } | undefined {
  for (const scheme of SIGNATURE_SCHEMES) {
    const recovery = recoverSigner(text, signature, scheme);
    if (recovery.ok && didHasAddress(sender, recovery.address))
      return { scheme, publicKey: recovery.publicKey };
  }
  return undefined;
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
