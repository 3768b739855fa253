import { Injectable } from '@nestjs/common';
import { Conditions, Database } from '@ssb/postgres';
import { maySee, visibleParticipants, type Caller } from '../access/caller.js';
import { findDeliveredEvent } from '../database/find-id.js';
import { presentMembers } from '../database/present-members.js';
import { toPage, wrongCursor, type Page } from '../http/page.js';
import { outcomeFor } from '../sinks/sink-backlog.js';
import type { AttemptRow, DeliveryDetail } from './delivery-detail-dto.js';
import {
  DELIVERY_STATES,
  type DeliveriesQuery,
  type DeliveryRow,
  type DeliveryState,
} from './delivery-dto.js';
import { findShownTypes, UNKNOWN_TYPE } from './delivery-types.js';

const MAX_ATTEMPTS = 100;
const PARTICIPANT = "coalesce(listed_participant, '*')";
const TYPE = `coalesce(listed_type, '${UNKNOWN_TYPE}')`;

/** Of a state that few deliveries have: a necessary condition, which an index serves. */
const RARE_STATES: Readonly<Partial<Record<DeliveryState, string>>> = {
  parked: 'parked_until IS NOT NULL',
  pending: 'delivered_at IS NULL',
  skipped: 'skipped',
  withheld: 'withheld IS NOT NULL',
  replaced: 'replaced_by IS NOT NULL',
};

/** Reads deliveries and their attempts. A digest has events of several participants, so it belongs to none. */
@Injectable()
export class DeliveryQueries {
  constructor(private readonly database: Database) {}

  /**
   * What was added last comes first.
   * @throws InvalidRequestError for the cursor of a delivery that the caller may not see, and ProblemException 409 when several ids begin as `event`
   */
  async list(caller: Caller, query: DeliveriesQuery): Promise<Page<DeliveryRow>> {
    const event =
      query.event && ((await findDeliveredEvent(this.database, caller, query.event, 'event')) ?? query.event);
    const conditions = new Conditions()
      .add(query.kind, (kinds) => `kind = ANY (${kinds}::text[])`)
      .add(query.problem, (id) => `problem_id = ${id}`)
      .add(query.since, (time) => `created_at >= ${time}`)
      .add(query.until, (time) => `created_at < ${time}`)
      .add(event, (id) => isAboutEvent(caller, id));
    addStates(conditions, query.state);
    if (query.cursor !== undefined) await this.continueAfter(conditions, caller, query.cursor);
    const chosen = {
      sink: query.sink,
      listed_participant: visibleParticipants(caller, query.participant),
      listed_type: query.type?.flatMap(findShownTypes),
    };
    const rows = await this.database.query<DeliveryRow>(
      `WITH newest AS MATERIALIZED (SELECT event_id, sink FROM (${selectNewest(conditions, chosen, query.limit + 1)}) AS found)
       SELECT ${columnsFor(caller)} FROM newest JOIN delivery USING (event_id, sink) ORDER BY ${NEWEST_FIRST}`,
      conditions.values,
    );
    return toPage(rows.map(presentMembers), query.limit, ({ eventId, sink }) => `${eventId}/${sink}`);
  }

  /**
   * A delivery that the caller may see; undefined for any other.
   * @param event id of its event, or the first 6 characters or more
   * @throws ProblemException 409 when several begin so
   */
  async find(caller: Caller, event: string, sink: string): Promise<DeliveryDetail | undefined> {
    const eventId = await findDeliveredEvent(this.database, caller, event, 'eventId');
    if (eventId === undefined) return undefined;
    const [row] = await this.database.query<
      DeliveryRow & Pick<DeliveryDetail, 'resentAt'> & { readonly digestEvents: readonly string[] | null }
    >(
      `SELECT ${columnsFor(caller)}, resent_at AS "resentAt",
              CASE WHEN is_digest(details) THEN ARRAY(SELECT member.event_id FROM delivery AS member
                WHERE member.digest_id = delivery.event_id AND member.sink = delivery.sink ORDER BY member.archive_offset) END AS "digestEvents"
       FROM delivery WHERE event_id = $1 AND sink = $2`,
      [eventId, sink],
    );
    if (row === undefined || !maySee(caller, row.participant)) return undefined;
    const attempts = await this.database.query<AttemptRow>(
      `SELECT number, at, duration_ms AS "durationMs", outcome, status${caller.role === 'operator' ? ', response, error' : ''}
       FROM attempt WHERE event_id = $1 AND sink = $2 ORDER BY number DESC LIMIT $3`,
      [eventId, sink, MAX_ATTEMPTS + 1],
    );
    return {
      ...presentMembers(row),
      attemptLog: attempts.slice(0, MAX_ATTEMPTS).toReversed().map(presentMembers),
      hasEarlierAttempts: attempts.length > MAX_ATTEMPTS,
    };
  }

  /** A cursor is the id of a delivery, which shows nothing of other ones. */
  private async continueAfter(conditions: Conditions, caller: Caller, cursor: string): Promise<void> {
    const slash = cursor.indexOf('/');
    const [eventId, sink] = [cursor.slice(0, Math.max(0, slash)), cursor.slice(slash + 1)];
    // A Date would cut off microseconds.
    const [last] = await this.database.query<{ addedAt: string; offset: number; participant: string }>(
      `SELECT created_at::text AS "addedAt", archive_offset AS "offset", ${PARTICIPANT} AS participant
       FROM delivery WHERE event_id = $1 AND sink = $2`,
      [eventId, sink],
    );
    if (last === undefined || !maySee(caller, last.participant)) throw wrongCursor();
    const [addedAt, offset, ...ids] = [last.addedAt, last.offset, eventId, sink].map((value) =>
      conditions.parameter(value),
    );
    conditions.addText(
      `(created_at, archive_offset, event_id, sink) < (${addedAt}::timestamptz, ${offset}, ${ids.join(', ')})`,
    );
  }
}

const NEWEST_FIRST =
  'delivery.created_at DESC, delivery.archive_offset DESC, delivery.event_id DESC, delivery.sink DESC';
/** Combinations of values that are searched one by one. */
const MAX_COMBINATIONS = 500;

/** SQL: every sink with a delivery, each found by one search of an index. */
const ALL_SINKS = `(
  WITH RECURSIVE found AS (
    SELECT min(sink) AS name FROM delivery
    UNION ALL
    SELECT (SELECT min(sink) FROM delivery WHERE sink > found.name) FROM found WHERE name IS NOT NULL
  )
  SELECT name FROM found WHERE name IS NOT NULL
)`;

type Chosen = Readonly<Record<'sink' | 'listed_participant' | 'listed_type', readonly string[] | undefined>>;

/**
 * SQL that selects event_id and sink of the newest deliveries. An index serves each combination of a sink, a participant and a type, so that
 * combinations without a delivery cost nothing.
 */
function selectNewest(conditions: Conditions, chosen: Chosen, limit: number): string {
  const { sink, listed_participant: participants, listed_type: types } = chosen;
  const isAlsoNull = participants?.includes('*') || types?.includes(UNKNOWN_TYPE);
  const count = (participants?.length ?? 1) * (types?.length ?? 1) * (sink?.length ?? 1);
  const select =
    'SELECT delivery.event_id, delivery.sink, delivery.created_at, delivery.archive_offset FROM delivery';
  if (isAlsoNull || count > MAX_COMBINATIONS) {
    conditions
      .add(sink, (sinks) => `sink = ANY (${sinks}::text[])`)
      .add(types, (list) => isShownAs('listed_type', list, types?.includes(UNKNOWN_TYPE)))
      .add(participants, (list) => isShownAs('listed_participant', list, participants?.includes('*')));
    return `${select} ${conditions.where} ORDER BY ${NEWEST_FIRST} LIMIT ${conditions.parameter(limit)}`;
  }
  const combined = Object.entries(chosen).flatMap(([column, values]) => {
    if (values === undefined && column !== 'sink') return [];
    conditions.addText(`delivery.${column} = chosen_${column}.value`);
    const list = values === undefined ? ALL_SINKS : `unnest(${conditions.parameter(values)}::text[])`;
    return [`${list} AS chosen_${column} (value)`];
  });
  const bound = conditions.parameter(limit);
  return `SELECT delivery.* FROM ${combined.join(' CROSS JOIN ')} CROSS JOIN LATERAL (
      ${select} ${conditions.where} ORDER BY ${NEWEST_FIRST} LIMIT ${bound}
    ) AS delivery ORDER BY ${NEWEST_FIRST} LIMIT ${bound}`;
}

/** Columns of a `DeliveryRow`, of the table `delivery`. */
function columnsFor(caller: Caller): string {
  return `event_id AS "eventId", about_event_id AS "aboutEventId", sink, delivery_state(delivery) AS state, kind, severity,
    ${TYPE} AS type, subject, ${PARTICIPANT} AS participant,
    (SELECT archived_at FROM archive WHERE archive.archive_offset = delivery.archive_offset) AS "archivedAt", created_at AS "addedAt", attempts,
    ${outcomeFor(caller, 'last_outcome')} AS "lastOutcome",
    NULLIF(delivered_at, 'infinity') AS "endedAt", parked_until AS "nextAttemptAt", problem_id AS "problemId", replayed, withheld,
    replaced_by AS "replacedBy", ${caller.participants === 'all' ? 'digest_id' : 'NULL'} AS "digestId"`;
}

/** An index serves the column, but not the expression that is shown. */
function isShownAs(column: string, values: string, isAlsoNull = false): string {
  const isListed = `${column} = ANY (${values}::text[])`;
  return isAlsoNull ? `(${isListed} OR ${column} IS NULL)` : isListed;
}

/** A digest has its events, and an event its digest. The id of a digest follows from its events, so it may be known to whom it must not be confirmed. */
function isAboutEvent({ participants }: Caller, id: string): string {
  const isOfEvent = `event_id = ${id} OR about_event_id = ${id}`;
  return participants === 'all'
    ? `(${isOfEvent} OR digest_id = ${id} OR event_id = ANY (ARRAY(SELECT digest_id FROM delivery WHERE event_id = ${id} AND digest_id IS NOT NULL)))`
    : `(${isOfEvent})`;
}

function addStates(conditions: Conditions, states: readonly DeliveryState[] | undefined): void {
  if (states === undefined) return;
  // The planner expects few rows of `=` and many of `NOT`. Most deliveries are delivered.
  if (states.includes('delivered'))
    conditions.add(
      DELIVERY_STATES.filter((state) => !states.includes(state)),
      (list) => `NOT (delivery_state(delivery) = ANY (${list}::text[]))`,
    );
  else conditions.add(states, (list) => `delivery_state(delivery) = ANY (${list}::text[])`);
  const rare = states.map((state) => RARE_STATES[state]);
  if (!rare.includes(undefined)) conditions.addText(`(${[...new Set(rare)].join(' OR ')})`);
}
