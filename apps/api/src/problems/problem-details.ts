import { Injectable } from '@nestjs/common';
import type { SilenceFacts } from '@ssb/config';
import { isAlertReason, type EventType, type ProblemKind, type Severity } from '@ssb/events';
import { Database } from '@ssb/postgres';
import type { Caller } from '../access/caller.js';
import { presentMembers } from '../database/present-members.js';
import { outcomeFor } from '../sinks/sink-backlog.js';
import { SilenceQueries } from '../silences/silence-queries.js';
import type { ProblemChange, ProblemDelivery, ProblemDetail } from './problem-detail-dto.js';
import type { ProblemRow } from './problem-dto.js';

const MAX_CHANGES = 500;
const MAX_DELIVERIES = 100;

/** SQL: a column of the message that was sent, which is the digest of a grouped one. */
const ofSent = (column: string): string =>
  `CASE WHEN digest.event_id IS NULL THEN delivery.${column} ELSE digest.${column} END`;

/** SQL: a column of the attempts. A digest may have events of others, so its attempts are for callers of all participants. */
const ofAttempts = ({ participants }: Caller, column: string): string =>
  participants === 'all' ? ofSent(column) : `delivery.${column}`;

/** Reads what belongs to a problem: its history, the silences that hide it, and who was notified. */
@Injectable()
export class ProblemDetails {
  constructor(
    private readonly database: Database,
    private readonly silences: SilenceQueries,
  ) {}

  /** @param problem which the caller may see */
  async read(caller: Caller, problem: ProblemRow): Promise<ProblemDetail> {
    const { id, endedAt } = problem;
    const changes = await this.listChanges(caller, id);
    const deliveries = await this.listDeliveries(caller, id);
    const facts = endedAt === undefined ? await this.readFacts(problem) : undefined;
    return {
      ...problem,
      changes: changes.slice(0, MAX_CHANGES).reverse(),
      moreChanges: changes.length > MAX_CHANGES,
      silences: await this.silences.listCovering(caller, id, facts),
      deliveries: deliveries.slice(0, MAX_DELIVERIES),
      moreDeliveries: deliveries.length > MAX_DELIVERIES,
      deliveriesAddress: `/v1/deliveries?problem=${id}`,
    };
  }

  /** The newest first. A request of another author is not shown to a caller of some participants. */
  private async listChanges(
    { name, participants }: Caller,
    problemId: string,
  ): Promise<readonly ProblemChange[]> {
    const rows = await this.database.query<ProblemChange>(
      `SELECT number, problem_change.at, problem_change.kind, problem_change.severity, level, figures, event_id AS "eventId", archive.type,
              author, comment, CASE WHEN $2::text IS NULL OR author = $2 THEN request_key END AS "requestId"
       FROM problem_change LEFT JOIN archive USING (event_id) LEFT JOIN request USING (request_id)
       WHERE problem_id = $1 ORDER BY number DESC LIMIT $3`,
      [problemId, participants === 'all' ? null : name, MAX_CHANGES + 1],
    );
    return rows.map(presentMembers);
  }

  /** The newest first. A grouped message was accepted with its digest. */
  private async listDeliveries(caller: Caller, problemId: string): Promise<readonly ProblemDelivery[]> {
    const rows = await this.database.query<ProblemDelivery>(
      `SELECT delivery.event_id AS "eventId", delivery.sink, delivery.kind, delivery.severity, delivery_state(delivery) AS state,
              delivery.created_at AS "addedAt", delivery.withheld, delivery.parked_until AS "nextAttemptAt", ${ofAttempts(caller, 'attempts')} AS attempts,
              ${outcomeFor(caller, ofAttempts(caller, 'last_outcome'))} AS "lastOutcome",
              CASE delivery_state(delivery) WHEN 'delivered' THEN ${ofSent('delivered_at')} END AS "acceptedAt"
       FROM delivery LEFT JOIN delivery AS digest ON digest.event_id = delivery.digest_id AND digest.sink = delivery.sink
       WHERE delivery.problem_id = $1
       ORDER BY delivery.created_at DESC, delivery.sink, delivery.event_id LIMIT $2`,
      [problemId, MAX_DELIVERIES + 1],
    );
    return rows.map(presentMembers);
  }

  /** What a silence reads of a problem. */
  private async readFacts(problem: ProblemRow): Promise<SilenceFacts | undefined> {
    const [row] = await this.database.query<{ type: EventType }>(
      'SELECT type FROM archive JOIN problem USING (event_id) WHERE problem_id = $1',
      [problem.id],
    );
    const reason = problem.figures['reason'] ?? null;
    return (
      row && {
        type: row.type,
        participant: problem.participant,
        severity: problem.severity as Severity,
        problem: problem.kind as ProblemKind,
        ...(reason !== null && isAlertReason(reason) && { reason }),
      }
    );
  }
}
