import type { SqlSession } from '@ssb/database';
import { boundedText } from './bounded-text.js';
import { QUARANTINED_PAYLOAD_BYTES, type RejectedEntry } from './entries.js';

/**
 * Stores what failed verification, except what is there already and what repeats an event of the inbox.
 * @returns the entries that were written
 */
export async function insertQuarantine(
  session: SqlSession,
  entries: readonly RejectedEntry[],
  now: Date,
): Promise<RejectedEntry[]> {
  if (entries.length === 0) return [];
  const seen = await seenEvents(session, entries);
  const wanted = entries.filter(({ unlessSeen }) => unlessSeen === undefined || !seen.has(unlessSeen));
  if (wanted.length === 0) return [];
  const payloads = wanted.map(({ message }) => Buffer.from(message.payload, 'utf8'));
  const rows = await session.query<{ place: number }>(
    `WITH given AS (
       SELECT DISTINCT ON (channel, message_id) *
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                   $10::text[], $11::text[])
         WITH ORDINALITY AS given (channel, message_id, topic, transaction_id, sender, signature, taken_at_nanos, reason,
                                   detail, payload, payload_bytes, place)
       ORDER BY channel, message_id, place
     ), written AS (
       INSERT INTO quarantine (channel, message_id, topic, transaction_id, sender, signature, taken_at_nanos, reason, detail,
                               payload, payload_bytes, quarantined_at)
       SELECT channel, message_id, nullif(topic, ''), nullif(transaction_id, ''), sender, signature, taken_at_nanos::numeric,
              reason, detail, decode(payload, 'base64'), payload_bytes::integer, $12::timestamptz
       FROM given ORDER BY place
       ON CONFLICT DO NOTHING RETURNING channel, message_id
     )
     SELECT place::integer FROM written JOIN given USING (channel, message_id)`,
    [
      wanted.map(({ message }) => boundedText(message.fqcn)),
      wanted.map(({ message }) => boundedText(message.id)),
      wanted.map(({ message }) => boundedText(message.topic ?? '')),
      wanted.map(({ message }) => boundedText(message.transactionId ?? '')),
      wanted.map(({ message }) => boundedText(message.sender)),
      wanted.map(({ message }) => boundedText(message.signature)),
      wanted.map(({ message }) => message.timestampNanos.toString()),
      wanted.map(({ reason }) => reason),
      wanted.map(({ detail }) => boundedText(detail)),
      payloads.map((payload) => payload.subarray(0, QUARANTINED_PAYLOAD_BYTES).toString('base64')),
      payloads.map((payload) => String(payload.length)),
      now,
    ],
  );
  const places = new Set(rows.map(({ place }) => place - 1));
  return wanted.filter((_, at) => places.has(at));
}

async function seenEvents(
  session: SqlSession,
  entries: readonly RejectedEntry[],
): Promise<ReadonlySet<string>> {
  const ids = entries.flatMap(({ unlessSeen }) => unlessSeen ?? []);
  if (ids.length === 0) return new Set();
  const rows = await session.query<{ event_id: string }>(
    'SELECT event_id FROM inbox WHERE event_id = ANY ($1::text[])',
    [ids],
  );
  return new Set(rows.map(({ event_id }) => event_id));
}
