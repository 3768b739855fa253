import { Conditions } from '@ssb/postgres';
import { HEARTBEAT_TYPE } from '@ssb/config';
import { SEVERITIES } from '@ssb/events';
import { TYPES_BUT_HEARTBEATS, type EventFilter } from './event-filter.js';

/** The sort key of an event. A Date would cut off microseconds. */
export interface EventPlace {
  readonly factTime: string;
  readonly offset: number;
}

export interface EventRange {
  /** Only events before this one. */
  readonly before: EventPlace | undefined;
  readonly limit: number;
}

/** SQL that selects `fact_time` and `archive_offset`, and the parameters of its conditions. */
interface Selection {
  readonly sql: string;
  readonly conditions: Conditions;
}

/** Newest events that a search by subject reads before it sorts all events of the subject. */
const RECENT_EVENTS = 5_000;
const NEWEST_FIRST = 'ORDER BY fact_time DESC, archive_offset DESC';
const IS_NOT_HEARTBEAT = `type <> '${HEARTBEAT_TYPE}'`;

/** SQL: participants of the archive, each found by one search of an index. */
const ALL_PARTICIPANTS = `(
  WITH RECURSIVE found AS (
    SELECT min(participant) AS code FROM archive
    UNION ALL
    SELECT (SELECT min(participant) FROM archive WHERE participant > found.code) FROM found WHERE code IS NOT NULL
  )
  SELECT code FROM found WHERE code IS NOT NULL
)`;

/**
 * The statements that find the newest events of a filter, the last one all of them. An earlier one suffices when it finds as many as the limit.
 * @param count of `selectCount`; undefined without a subject
 */
export function selectNewest(
  filter: EventFilter,
  range: EventRange,
  count: number | undefined,
): readonly Selection[] {
  if (count === undefined) return [selectCombined(filter, range)];
  const all = selectSubject(filter, range);
  const isAll = count <= RECENT_EVENTS || filter.types?.includes(HEARTBEAT_TYPE) === true;
  return isAll ? [all] : [selectRecent(filter, range), all];
}

/** Of so many combinations the first rows are read before, because the limit of rows of each would be most of the time. */
const MIN_COMBINATIONS = 50;
const FIRST_ROWS = 3;

/**
 * Reads at most `limit` rows of an index for each combination of participant, type and severity. None of the result is earlier than the last of
 * `limit` first rows of the combinations.
 */
function selectCombined(filter: EventFilter, range: EventRange): Selection {
  const { participants } = filter;
  const conditions = addRange(new Conditions(), filter, range);
  const limit = conditions.parameter(range.limit);
  const types = filter.types ?? (filter.severities && TYPES_BUT_HEARTBEATS);
  // The indexes of types begin with the severity.
  const severities = filter.severities ?? (types && SEVERITIES);
  if (types === undefined) conditions.addText(IS_NOT_HEARTBEAT);
  if (types === undefined && participants === undefined)
    return {
      sql: `SELECT fact_time, archive_offset FROM archive ${conditions.where} ${NEWEST_FIRST} LIMIT ${limit}`,
      conditions,
    };
  const combined = participants === undefined ? [] : [chooseParticipant(conditions, participants)];
  for (const [column, values] of [
    ['type', types],
    ['event_severity', severities],
  ] as const) {
    if (values === undefined) continue;
    combined.push(`unnest(${conditions.parameter(values)}::text[]) AS chosen_${column} (value)`);
    conditions.addText(`${column} = chosen_${column}.value`);
  }
  const newestOf = (rows: string | number): string => `${combined.join(', ')} CROSS JOIN LATERAL (
        SELECT fact_time, archive_offset FROM archive ${conditions.where} ${NEWEST_FIRST} LIMIT ${rows}
      ) AS newest`;
  const combinations = (participants?.length ?? 1) * (types?.length ?? 1) * (severities?.length ?? 1);
  const earliest =
    combinations < MIN_COMBINATIONS
      ? undefined
      : `SELECT newest.fact_time FROM ${newestOf(FIRST_ROWS)} ORDER BY newest.fact_time DESC OFFSET ${limit}::integer - 1 LIMIT 1`;
  if (earliest !== undefined)
    conditions.addText(`fact_time >= coalesce((SELECT fact_time FROM earliest), '-infinity')`);
  return {
    sql: `${earliest === undefined ? '' : `WITH earliest AS MATERIALIZED (${earliest})`}
      SELECT newest.fact_time, newest.archive_offset FROM ${newestOf(limit)} ${NEWEST_FIRST} LIMIT ${limit}`,
    conditions,
  };
}

/** SQL for FROM: the participants of the filter. The conditions get the one of the row. */
function chooseParticipant(conditions: Conditions, participants: readonly string[] | undefined): string {
  const codes =
    participants === undefined ? ALL_PARTICIPANTS : `unnest(${conditions.parameter(participants)}::text[])`;
  conditions.addText('participant = chosen_participant.value');
  return `${codes} AS chosen_participant (value)`;
}

/** Looks for a subject among recent events. It suffices for the beginning of many subjects. */
function selectRecent(filter: EventFilter, range: EventRange): Selection {
  const { participants } = filter;
  const conditions = addRange(new Conditions(), filter, range).addText(IS_NOT_HEARTBEAT);
  const count = Math.ceil(RECENT_EVENTS / Math.max(1, participants?.length ?? 1));
  const chosen = participants && chooseParticipant(conditions, participants);
  const newest = `SELECT fact_time, archive_offset FROM archive ${conditions.where} ${NEWEST_FIRST} LIMIT ${count}`;
  const recent = chosen === undefined ? `(${newest})` : `${chosen} CROSS JOIN LATERAL (${newest})`;
  const matching = addFacts(new Conditions(conditions.values), filter);
  // Sort keys are read first, which an index has. OFFSET 0 keeps the planner from reading the subject of other participants.
  return {
    sql: `SELECT recent.fact_time, recent.archive_offset FROM ${recent} AS recent CROSS JOIN LATERAL (
        SELECT type, event_severity, subject FROM archive WHERE archive_offset = recent.archive_offset OFFSET 0
      ) AS found ${matching.where} ORDER BY recent.fact_time DESC, recent.archive_offset DESC LIMIT ${matching.parameter(range.limit)}`,
    conditions: matching,
  };
}

/** Counts the events of a subject up to a limit. Few are sorted at once, which an index serves. */
export function selectCount(filter: EventFilter, range: EventRange): Selection {
  const conditions = addFacts(addRange(new Conditions(), filter, range), filter);
  const chosen = chooseParticipant(conditions, filter.participants);
  return {
    sql: `SELECT count(*)::integer AS count FROM (
        SELECT FROM ${chosen} CROSS JOIN LATERAL (SELECT FROM archive ${conditions.where} OFFSET 0) AS matching LIMIT ${RECENT_EVENTS + 1}
      ) AS bounded`,
    conditions,
  };
}

/** Sorts all events of the subject. */
function selectSubject(filter: EventFilter, range: EventRange): Selection {
  const conditions = addFacts(addRange(new Conditions(), filter, range), filter);
  const chosen = chooseParticipant(conditions, filter.participants);
  // OFFSET 0 keeps the planner from reading events of other subjects in the order of time.
  return {
    sql: `SELECT fact_time, archive_offset FROM ${chosen} CROSS JOIN LATERAL (
        SELECT fact_time, archive_offset FROM archive ${conditions.where} OFFSET 0
      ) AS matching ${NEWEST_FIRST} LIMIT ${conditions.parameter(range.limit)}`,
    conditions,
  };
}

function addRange(conditions: Conditions, { since, until }: EventFilter, { before }: EventRange): Conditions {
  conditions.add(since, (time) => `fact_time >= ${time}`).add(until, (time) => `fact_time < ${time}`);
  return before === undefined
    ? conditions
    : conditions.addText(
        `(fact_time, archive_offset) < (${conditions.parameter(before.factTime)}::timestamptz, ${conditions.parameter(before.offset)}::bigint)`,
      );
}

/** The conditions on type, severity and subject. */
export function addFacts(conditions: Conditions, { types, severities, subject }: EventFilter): Conditions {
  if (types === undefined) conditions.addText(IS_NOT_HEARTBEAT);
  return conditions
    .add(types, (values) => `type = ANY (${values}::text[])`)
    .add(severities, (values) => `event_severity = ANY (${values}::text[])`)
    .add(subject, (text) => `starts_with(subject, ${text})`);
}
