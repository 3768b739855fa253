import { Injectable } from '@nestjs/common';
import { ProblemException } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import type { EvidenceAttempt, EvidenceDelivery } from 'settlement-bus-downstream';
import type { Caller } from '../access/caller.js';
import { presentMembers } from '../database/present-members.js';
import type { DeliveryRow } from '../deliveries/delivery-dto.js';
import { DeliveryQueries } from '../deliveries/delivery-queries.js';
import { MAX_PAGE_SIZE } from '../http/page.js';

/** Of one event. */
const MAX_DELIVERIES = 5_000;
const MAX_ATTEMPTS = 20_000;

interface StoredAttempt extends Omit<EvidenceAttempt, 'at'> {
  readonly eventId: string;
  readonly sink: string;
  readonly at: Date;
}

/** Reads the deliveries of an event with their attempts, as evidence has them. */
@Injectable()
export class DeliveryRecords {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveryQueries,
  ) {}

  /** What was added last comes first. @throws ProblemException 409 beyond a limit */
  async list(caller: Caller, event: string): Promise<readonly EvidenceDelivery[]> {
    const rows: DeliveryRow[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.deliveries.list(caller, {
        event,
        limit: MAX_PAGE_SIZE,
        ...(cursor !== undefined && { cursor }),
      });
      rows.push(...page.items);
      cursor = page.next;
      if (rows.length > MAX_DELIVERIES) throw tooMany(MAX_DELIVERIES, 'deliveries');
    } while (cursor !== undefined);
    const attempts = await this.listAttempts(caller, [...new Set(rows.map(({ eventId }) => eventId))]);
    return rows.map((row) => ({
      eventId: row.eventId,
      sink: row.sink,
      kind: row.kind,
      severity: row.severity,
      state: row.state,
      addedAt: row.addedAt.toISOString(),
      ...(row.endedAt !== undefined && { deliveredAt: row.endedAt.toISOString() }),
      ...(row.problemId !== undefined && { problemId: row.problemId }),
      attempts: attempts.get(deliveryKey(row)) ?? [],
    }));
  }

  /** By delivery. Responses of sinks are for operators. */
  private async listAttempts(
    { role }: Caller,
    eventIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly EvidenceAttempt[]>> {
    const rows = await this.database.query<StoredAttempt>(
      `SELECT event_id AS "eventId", sink, number, at, duration_ms AS "durationMs", outcome, status${role === 'operator' ? ', response, error' : ''}
       FROM attempt WHERE event_id = ANY ($1::text[]) ORDER BY at, number LIMIT $2`,
      [eventIds, MAX_ATTEMPTS + 1],
    );
    if (rows.length > MAX_ATTEMPTS) throw tooMany(MAX_ATTEMPTS, 'attempts');
    const attempts = new Map<string, EvidenceAttempt[]>();
    for (const row of rows) {
      const key = deliveryKey(row);
      const earlier = attempts.get(key) ?? [];
      attempts.set(key, earlier);
      earlier.push(toAttempt(row));
    }
    return attempts;
  }
}

const toAttempt = ({ eventId: _, sink: __, at, ...attempt }: StoredAttempt): EvidenceAttempt => ({
  ...presentMembers(attempt),
  at: at.toISOString(),
});

const deliveryKey = ({ eventId, sink }: { readonly eventId: string; readonly sink: string }): string =>
  `${eventId}/${sink}`;

const tooMany = (limit: number, what: string): ProblemException =>
  new ProblemException(
    409,
    'Conflict',
    `The event has more than ${limit} ${what}, which is the limit of evidence. Read the archive with SQL instead.`,
  );
