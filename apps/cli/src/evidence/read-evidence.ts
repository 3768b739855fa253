import { didHasAddress, isSameIdentity, recoverSigner, type SignatureScheme } from '@ssb/identity';
import { verifyProof } from '@ssb/events';
import type { Database } from '@ssb/postgres';
import type {
  ChannelTrust,
  EvidenceDelivery,
  EvidenceSigner,
  TrustEntry,
  UnsignedEvidence,
} from 'settlement-bus-downstream';
import type { OpenEvidence } from 'settlement-bus-downstream/checks';
import { listAttempts, listDeliveries, type ListedAttempt } from '../requests/list-deliveries.js';
import { MAX_LIMIT } from '../options.js';
import { RequestError } from '../requests/subscriber-database.js';
import { readKeyHistory, toChannelTrust } from '../trust/key-history.js';

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

/**
 * Everything that the database of the subscriber has about an event.
 * @param eventId a whole id
 * @throws RequestError when the event is not archived, or its row is not what was signed
 */
export async function readEvidence(
  database: Database,
  eventId: string,
  signatureScheme: SignatureScheme,
  now: Date,
): Promise<OpenEvidence> {
  const row = await readArchived(database, eventId);
  const event = JSON.parse(row.text) as Record<string, unknown>;
  const record = {
    version: 1 as const,
    exportedAt: now.toISOString(),
    eventId,
    event,
    archived: { at: row.archivedAt.toISOString(), marks: row.marks },
    problemIds: await readProblemIds(database, eventId),
    deliveries: await readDeliveries(database, eventId),
  };
  if (row.marks.includes('local'))
    return { ...record, event: event as UnsignedEvidence['event'], unsigned: true };
  const signers = recoverSigners(row, event, signatureScheme);
  const { topic } = event;
  return {
    ...record,
    signatureScheme,
    message: {
      id: row.messageId,
      fqcn: row.channel,
      // The subscriber archives only messages whose topic is that of their event.
      topic: String(topic),
      payload: row.text,
      signature: row.signature,
      sender: row.sender,
      timestampNanos: row.timestampNanos,
    },
    ...signers,
    trusted: await readTrusted(database, row.channel, row.archivedAt),
  };
}

async function readArchived(database: Database, eventId: string): Promise<ArchivedRow> {
  const [row] = await database.query<ArchivedRow>(
    `SELECT channel, message_id AS "messageId", sender, origin, signature, appended_at_nanos::text AS "timestampNanos",
            archived_at AS "archivedAt", event AS text, marks FROM archive WHERE event_id = $1`,
    [eventId],
  );
  if (row === undefined)
    throw new RequestError(
      `The archive does not have the event ${eventId}: it is a message about an event, or it was deleted. Give the id of an archived event.`,
    );
  return row;
}

function recoverSigners(
  { text, signature, sender, origin }: ArchivedRow,
  event: Readonly<Record<string, unknown>>,
  scheme: SignatureScheme,
): { readonly gateway: EvidenceSigner; readonly origin: EvidenceSigner } {
  const recovery = recoverSigner(text, signature, scheme);
  const proof = verifyProof(event, [origin]);
  if (!recovery.ok || !didHasAddress(sender, recovery.address) || !proof.ok)
    throw new RequestError(
      'The signatures in the archive are not those of the event. Compare --signature-scheme with SIGNATURE_SCHEME of the subscriber, and the row with a backup.',
    );
  return {
    gateway: { did: sender, publicKey: recovery.publicKey },
    origin: { did: origin, publicKey: proof.publicKey },
  };
}

async function readProblemIds(database: Database, eventId: string): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>(
    'SELECT DISTINCT problem_id AS id FROM problem_change WHERE event_id = $1 ORDER BY id',
    [eventId],
  );
  return rows.map(({ id }) => id);
}

async function readDeliveries(database: Database, eventId: string): Promise<readonly EvidenceDelivery[]> {
  const { deliveries } = await listDeliveries(database, { eventId, limit: MAX_LIMIT });
  const ids = [...new Set(deliveries.map((each) => each.eventId))];
  const attempts = await listAttempts(database, ids);
  return deliveries.map(({ eventId: id, sink, kind, severity, state, addedAt, deliveredAt, problemId }) => ({
    eventId: id,
    sink,
    kind,
    severity,
    state,
    addedAt: addedAt.toISOString(),
    ...(deliveredAt !== null && { deliveredAt: deliveredAt.toISOString() }),
    ...(problemId !== null && { problemId }),
    attempts: attempts.filter((each) => each.eventId === id && each.sink === sink).map(toAttempt),
  }));
}

function toAttempt({ number, at, durationMs, outcome, status, response, error }: ListedAttempt) {
  return {
    number,
    at: at.toISOString(),
    durationMs,
    outcome,
    ...(status !== null && { status }),
    ...(response !== null && { response }),
    ...(error !== null && { error }),
  };
}

/** The keys of a channel whose interval has the time. */
async function readTrusted(database: Database, channel: string, at: Date): Promise<ChannelTrust> {
  const { gateways, origins } = toChannelTrust(await readKeyHistory(database, channel));
  const isThen = ({ from, until }: TrustEntry): boolean =>
    (from === undefined || Date.parse(from) <= at.getTime()) &&
    (until === undefined || Date.parse(until) >= at.getTime());
  return { gateways: gateways.filter(isThen), origins: origins.filter(isThen) };
}

/** Whether the history of keys has the signers of the evidence. */
export function hasTrustedSigners(evidence: OpenEvidence): boolean {
  if ('unsigned' in evidence) return true;
  const { trusted, gateway, origin } = evidence;
  const has = (entries: readonly TrustEntry[], did: string): boolean =>
    entries.some((entry) => isSameIdentity(entry.did, did));
  return has(trusted.gateways, gateway.did) && has(trusted.origins, origin.did);
}
