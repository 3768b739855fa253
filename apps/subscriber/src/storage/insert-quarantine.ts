import type { SqlSession } from '@ssb/database';
import { boundedText, MAX_QUARANTINED_PAYLOAD_BYTES, type RejectedEntry } from './archive-entries.js';

/**
 * Stores rejected messages, except those already stored and repeats of events in the inbox.
 * @returns the entries that were written
 */
export async function insertQuarantine(
  session: SqlSession,
  entries: readonly RejectedEntry[],
  now: Date,
): Promise<RejectedEntry[]> {
  if (entries.length === 0) return [];
  const seen = await findSeenEvents(session, entries);
  const newEntries = entries.filter(
    ({ possibleRepeatOf }) => possibleRepeatOf === undefined || !seen.has(possibleRepeatOf),
  );
  if (newEntries.length === 0) return [];
  const payloads = newEntries.map(({ message }) => Buffer.from(message.payload, 'utf8'));
  const rows = await session.query<{ place: number }>(
    `WITH given AS (
       SELECT DISTINCT ON (channel, message_id) *
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                   $10::text[], $11::text[])
         WITH ORDINALITY AS given (channel, message_id, topic, transaction_id, sender, signature, appended_at_nanos, reason,
                                   detail, payload, payload_bytes, place)
       ORDER BY channel, message_id, place
     ), written AS (
       INSERT INTO quarantine (channel, message_id, topic, transaction_id, sender, signature, appended_at_nanos, reason, detail,
                               payload, payload_bytes, quarantined_at)
       SELECT channel, message_id, nullif(topic, ''), nullif(transaction_id, ''), sender, signature, appended_at_nanos::numeric,
              reason, detail, decode(payload, 'base64'), payload_bytes::integer, $12::timestamptz
       FROM given ORDER BY place
       ON CONFLICT DO NOTHING RETURNING channel, message_id
     )
     SELECT place::integer FROM written JOIN given USING (channel, message_id)`,
    [
      newEntries.map(({ message }) => boundedText(message.fqcn)),
      newEntries.map(({ message }) => boundedText(message.id)),
      newEntries.map(({ message }) => boundedText(message.topic ?? '')),
      newEntries.map(({ message }) => boundedText(message.transactionId ?? '')),
      newEntries.map(({ message }) => boundedText(message.sender)),
      newEntries.map(({ message }) => boundedText(message.signature)),
      newEntries.map(({ message }) => message.timestampNanos.toString()),
      newEntries.map(({ reason }) => reason),
      newEntries.map(({ detail }) => boundedText(detail)),
      payloads.map((payload) => payload.subarray(0, MAX_QUARANTINED_PAYLOAD_BYTES).toString('base64')),
      payloads.map((payload) => String(payload.length)),
      now,
    ],
  );
  const places = new Set(rows.map(({ place }) => place - 1));
  return newEntries.filter((_, index) => places.has(index));
}

async function findSeenEvents(
  session: SqlSession,
  entries: readonly RejectedEntry[],
): Promise<ReadonlySet<string>> {
  const ids = entries.flatMap(({ possibleRepeatOf }) => possibleRepeatOf ?? []);
  if (ids.length === 0) return new Set();
  const rows = await session.query<{ event_id: string }>(
    'SELECT event_id FROM inbox WHERE event_id = ANY ($1::text[])',
    [ids],
  );
  return new Set(rows.map(({ event_id }) => event_id));
}
