import { Injectable } from '@nestjs/common';
import { Database } from '@ssb/postgres';
import { maySee, type Caller } from '../access/caller.js';
import { findId } from '../database/find-id.js';
import { DeliveryQueries } from '../deliveries/delivery-queries.js';
import type { DeliveryDetail } from '../deliveries/delivery-detail-dto.js';
import type { BusMessage, EventDetail, EventProblem } from './event-detail-dto.js';
import { describeVerdict, TrustedKeys } from './trusted-keys.js';
import { ROW_COLUMNS } from './event-queries.js';
import type { EventRow } from './event-dto.js';

const MAX_DELIVERIES = 20;

/** What the archive has about an event besides the row of a listing. */
interface ArchivedRow extends EventRow {
  readonly text: string;
  readonly channel: string;
  readonly messageId: string;
  readonly sender: string;
  readonly origin: string;
  readonly signature: string;
  readonly timestampNanos: string;
}

/** Reads an event with everything that belongs to it. */
@Injectable()
export class EventDetails {
  constructor(
    private readonly database: Database,
    private readonly keys: TrustedKeys,
    private readonly deliveries: DeliveryQueries,
  ) {}

  /**
   * Undefined when there is no such event that the caller may see.
   * @param beginning an id, or a beginning that names one event
   * @throws ProblemException 409 when several events begin with it
   */
  async find(caller: Caller, beginning: string): Promise<EventDetail | undefined> {
    const id = await findId(this.database, caller, beginning);
    if (id === undefined) return undefined;
    const [row] = await this.database.query<ArchivedRow>(
      `SELECT ${ROW_COLUMNS}, event AS text, channel, message_id AS "messageId", sender, origin, signature,
              appended_at_nanos::text AS "timestampNanos"
       FROM archive WHERE event_id = $1`,
      [id],
    );
    if (row === undefined) return undefined;
    const { text, channel, messageId, sender, origin, signature, timestampNanos, ...listed } = row;
    const event = JSON.parse(text) as Record<string, unknown>;
    const isLocal = row.marks.includes('local');
    const message: BusMessage = {
      id: messageId,
      channel,
      topic: String(event['topic']),
      sender,
      signature,
      timestampNanos,
      ...toTime(timestampNanos),
    };
    const signers = isLocal
      ? undefined
      : await this.keys.findSigners(caller, { channel, sender, origin, archivedAt: row.archivedAt });
    return {
      ...listed,
      event,
      text,
      ...(!isLocal && { message }),
      verdict: describeVerdict(row.marks, signers),
      problems: await this.listProblems(caller, id),
      ...(await this.listDeliveries(caller, id)),
    };
  }

  private async listProblems(caller: Caller, id: string): Promise<readonly EventProblem[]> {
    const rows = await this.database.query<EventProblem & { readonly participant: string }>(
      `SELECT problem_id AS id, problem.kind, problem.state, problem_change.kind AS change, problem.participant
       FROM problem_change JOIN problem USING (problem_id) WHERE problem_change.event_id = $1 ORDER BY problem_id, number`,
      [id],
    );
    return rows
      .filter((row) => maySee(caller, row.participant))
      .map(({ participant: _, ...problem }) => problem);
  }

  private async listDeliveries(
    caller: Caller,
    id: string,
  ): Promise<Pick<EventDetail, 'deliveries' | 'moreDeliveries' | 'deliveriesAddress'>> {
    const page = await this.deliveries.list(caller, { event: id, limit: MAX_DELIVERIES });
    const found: (DeliveryDetail | undefined)[] = [];
    for (const { eventId, sink } of page.items) found.push(await this.deliveries.find(caller, eventId, sink));
    return {
      deliveries: found.filter((each) => each !== undefined),
      moreDeliveries: page.next !== undefined,
      deliveriesAddress: `/v1/deliveries?event=${id}`,
    };
  }
}

const NANOS_PER_SECOND = 1_000_000_000n;
/** The end of the year 9999. */
const MAX_SECONDS = 253_402_300_799n;

/** RFC 3339 with nanoseconds; empty for a time that it cannot write. */
function toTime(nanos: string): Pick<BusMessage, 'appendedAt'> {
  if (!/^\d{1,25}$/.test(nanos)) return {};
  const [seconds, rest] = [BigInt(nanos) / NANOS_PER_SECOND, BigInt(nanos) % NANOS_PER_SECOND];
  if (seconds > MAX_SECONDS) return {};
  const second = new Date(Number(seconds) * 1_000).toISOString().slice(0, 19);
  return { appendedAt: `${second}.${String(rest).padStart(9, '0')}Z` };
}
