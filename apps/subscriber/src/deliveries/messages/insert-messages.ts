import type { SqlSession } from '@ssb/postgres';
import type { DeliveryKind, WithheldReason } from '../../domain/delivery-kind.js';
import { DELIVERIES_CHANNEL } from '../outbox/pending-delivery.js';
import { addCounts } from '../outbox/subject-counts.js';
import type { ProblemMessage } from './problem-message.js';

export interface InsertedMessage {
  readonly id: string;
  readonly sink: string;
  readonly kind: DeliveryKind;
  readonly withheld: WithheldReason | null;
}

/** Adds messages to the outbox, and wakes all replicas at the commit. A message that is there already is left as it is. */
export async function insertMessages(
  session: SqlSession,
  messages: readonly ProblemMessage[],
): Promise<InsertedMessage[]> {
  if (messages.length === 0) return [];
  const inserted = await session.query<InsertedMessage>(
    `WITH inserted AS (
       INSERT INTO delivery (event_id, sink, kind, severity, problem_id, problem_state, state, subject, sequence, archive_offset,
                             about_event_id, details, withheld, delivered_at)
       SELECT id, sink, kind, given.severity, problem_id, problem_state, kind IN ('reminder', 'escalation'), subject, sequence, archive_offset,
              event_id, details::json, withheld, CASE WHEN withheld IS NOT NULL THEN clock_timestamp() END
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
         AS given (id, sink, kind, severity, problem_id, problem_state, about, details, withheld)
         JOIN archive ON event_id = about
       ORDER BY archive_offset, sink
       ON CONFLICT (event_id, sink) DO NOTHING
       RETURNING event_id, sink, subject, kind, held, urgent, replayed, withheld
     ), added AS (SELECT * FROM inserted WHERE withheld IS NULL), counted AS (${addCounts('0')})
     SELECT event_id AS id, sink, kind, withheld FROM inserted`,
    [
      messages.map(({ id }) => id),
      messages.map(({ sink }) => sink),
      messages.map(({ kind }) => kind),
      messages.map(({ problem }) => problem.severity),
      messages.map(({ problem }) => problem.problemId),
      messages.map(({ problem }) => problem.state),
      messages.map(({ problem }) => problem.eventId),
      messages.map(({ details }) => JSON.stringify(details)),
      messages.map(({ withheld }) => withheld ?? null),
    ],
  );
  await session.notify(DELIVERIES_CHANNEL, '');
  return inserted;
}
