import type { SqlSession } from '@ssb/postgres';
import { isReevaluable } from '../receiver/domain/rejection.js';
import { planStoredBytes } from './domain/quarantine-storage.js';
import { boundedText, type RejectedEntry } from '../archive/archive-entries.js';

export interface QuarantineResult {
  /** The entries that were not stored before. */
  readonly written: readonly RejectedEntry[];
  /** A payload was left out because of the size limit. */
  readonly isFull: boolean;
}

/** Stores rejected messages, except those already stored, and counts their bytes. */
export async function insertQuarantine(
  session: SqlSession,
  entries: readonly RejectedEntry[],
  now: Date,
  maxBytes: number,
): Promise<QuarantineResult> {
  if (entries.length === 0) return { written: [], isFull: false };
  const newEntries = await withoutStored(session, entries);
  if (newEntries.length === 0) return { written: [], isFull: false };
  const [status] = await session.query<{ trusted_bytes: number; untrusted_bytes: number }>(
    'SELECT trusted_bytes, untrusted_bytes FROM quarantine_status FOR UPDATE',
  );
  const payloads = newEntries.map(({ message }) => Buffer.from(message.payload, 'utf8'));
  const { stored, isFull } = planStoredBytes(
    newEntries.map((entry, at) => ({
      bytes: payloads[at]?.length ?? 0,
      reevaluable: isReevaluable(entry),
      trusted: entry.trustedSource !== undefined,
    })),
    { trustedBytes: status?.trusted_bytes ?? 0, untrustedBytes: status?.untrusted_bytes ?? 0 },
    maxBytes,
  );
  const written = await insertRows(
    session,
    newEntries,
    payloads.map((payload, at) => payload.subarray(0, stored[at])),
    payloads.map(({ length }) => length),
    now,
  );
  return { written, isFull };
}

/** The first entry of each message that is not in the quarantine. */
async function withoutStored(
  session: SqlSession,
  entries: readonly RejectedEntry[],
): Promise<RejectedEntry[]> {
  const toKey = (channel: string, id: string): string => `${channel}\n${id}`;
  const first = new Map<string, RejectedEntry>();
  for (const entry of entries) {
    const key = toKey(boundedText(entry.message.fqcn), boundedText(entry.message.id));
    if (!first.has(key)) first.set(key, entry);
  }
  const rows = await session.query<{ channel: string; message_id: string }>(
    `SELECT channel, message_id FROM quarantine JOIN unnest($1::text[], $2::text[]) AS given (channel, message_id)
     USING (channel, message_id)`,
    [
      entries.map(({ message }) => boundedText(message.fqcn)),
      entries.map(({ message }) => boundedText(message.id)),
    ],
  );
  for (const { channel, message_id } of rows) first.delete(toKey(channel, message_id));
  return [...first.values()];
}

/** A message that another replica stored meanwhile is left out of the result. */
async function insertRows(
  session: SqlSession,
  entries: readonly RejectedEntry[],
  payloads: readonly Buffer[],
  payloadBytes: readonly number[],
  now: Date,
): Promise<RejectedEntry[]> {
  const rows = await session.query<{ place: number }>(
    `WITH given AS (
       SELECT *
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                   $10::text[], $11::text[], $13::text[])
         WITH ORDINALITY AS given (channel, message_id, topic, transaction_id, sender, signature, appended_at_nanos, reason,
                                   detail, payload, payload_bytes, trusted, place)
     ), written AS (
       INSERT INTO quarantine (channel, message_id, topic, transaction_id, sender, signature, appended_at_nanos, reason, detail,
                               payload, payload_bytes, quarantined_at, trusted)
       SELECT channel, message_id, nullif(topic, ''), nullif(transaction_id, ''), sender, signature, appended_at_nanos::numeric,
              reason, detail, decode(payload, 'base64'), payload_bytes::integer, $12::timestamptz, trusted::boolean
       FROM given ORDER BY place
       ON CONFLICT DO NOTHING RETURNING channel, message_id, octet_length(payload) AS bytes, trusted
     ), counted AS (
       UPDATE quarantine_status SET
         trusted_bytes = trusted_bytes + (SELECT coalesce(sum(bytes), 0) FROM written WHERE trusted),
         untrusted_bytes = untrusted_bytes + (SELECT coalesce(sum(bytes), 0) FROM written WHERE NOT trusted)
     )
     SELECT place::integer FROM written JOIN given USING (channel, message_id)`,
    [
      entries.map(({ message }) => boundedText(message.fqcn)),
      entries.map(({ message }) => boundedText(message.id)),
      entries.map(({ message }) => boundedText(message.topic ?? '')),
      entries.map(({ message }) => boundedText(message.transactionId ?? '')),
      entries.map(({ message }) => boundedText(message.sender)),
      entries.map(({ message }) => boundedText(message.signature)),
      entries.map(({ message }) => message.timestampNanos.toString()),
      entries.map(({ reason }) => reason),
      entries.map(({ detail }) => boundedText(detail)),
      payloads.map((payload) => payload.toString('base64')),
      payloadBytes.map(String),
      now,
      entries.map(({ trustedSource }) => String(trustedSource !== undefined)),
    ],
  );
  const places = new Set(rows.map(({ place }) => place - 1));
  return entries.filter((_, index) => places.has(index));
}

/** Releases messages that passed a later evaluation, and counts their bytes. */
export async function releaseQuarantined(
  session: SqlSession,
  offsets: readonly bigint[],
  now: Date,
): Promise<void> {
  await session.query(
    `WITH released AS (
       UPDATE quarantine SET released_at = $2 WHERE quarantine_offset = ANY ($1::bigint[]) AND released_at IS NULL
       RETURNING octet_length(payload) AS bytes, trusted
     )
     UPDATE quarantine_status SET
       trusted_bytes = greatest(0, trusted_bytes - (SELECT coalesce(sum(bytes), 0) FROM released WHERE trusted)),
       untrusted_bytes = greatest(0, untrusted_bytes -
         (SELECT coalesce(sum(bytes), 0) FROM released WHERE NOT trusted))`,
    [offsets.map(String), now],
  );
}
