import { DIGEST_DELIVERY_TYPE } from '@ssb/events';
import { isDigest } from '../outbox/pending-delivery.js';
import type { ArchiveWalk, SqlValues } from './archive-walk.js';

export const DELIVERY_STATES = ['pending', 'parked', 'delivered', 'replaced', 'skipped', 'withheld'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Which archived events a request is about. An omitted criterion matches all. */
export interface EventSelection {
  readonly types?: readonly string[] | undefined;
  readonly participants?: readonly string[] | undefined;
  /** The event was archived at this time or later. */
  readonly since?: Date | undefined;
  /** The event was archived before this time. */
  readonly until?: Date | undefined;
}

/** Which deliveries a request is about: those that match all given criteria. */
export interface DeliverySelection extends EventSelection {
  /** The sinks in use, or some of them. */
  readonly sinks: readonly string[];
  /** Ids that the sinks see. */
  readonly ids?: readonly string[] | undefined;
  readonly states?: readonly DeliveryState[] | undefined;
  /** Default true. */
  readonly digests?: boolean | undefined;
}

const IS_IN_RANGE = `archive.archive_offset > $1::bigint AND archive.archive_offset <= $2::bigint
  AND ($5::timestamptz IS NULL OR archived_at >= $5) AND ($6::timestamptz IS NULL OR archived_at < $6)`;
/** @param types SQL, further types of what has the event */
const isAbout = (archive: string, ...types: readonly string[]): string =>
  `($3::text[] IS NULL OR ${[`${archive}.type`, ...types].map((type) => `${type} = ANY ($3)`).join(' OR ')}) AND ($4::text[] IS NULL OR ${archive}.participant = ANY ($4))`;

/** SQL, of an event after the offset $1 and up to $2. The parameters are those of `eventParameters`. */
export const EVENT_IS_SELECTED = `${IS_IN_RANGE} AND ${isAbout('archive')}`;

export const eventParameters = ({ types, participants, since, until }: EventSelection): SqlValues => [
  types ? [...types] : null,
  participants ? [...participants] : null,
  since ?? null,
  until ?? null,
];

/** SQL, of a delivery of a selected event, or of a digest that has one and ends in the range. The parameters are those of `deliveryParameters`. */
export const DELIVERY_IS_SELECTED = `${IS_IN_RANGE}
  AND CASE WHEN ${isDigest('delivery')} THEN EXISTS (
    SELECT FROM delivery AS member JOIN archive AS found ON found.event_id = member.event_id
    WHERE member.digest_id = delivery.event_id AND member.sink = delivery.sink AND ${isAbout('found', `'${DIGEST_DELIVERY_TYPE}'`)}
  ) ELSE ${isAbout('archive')} END
  AND delivery.sink = ANY ($7::text[]) AND ($8::text[] IS NULL OR delivery.event_id = ANY ($8))
  AND ($9::text[] IS NULL OR delivery_state(delivery) = ANY ($9)) AND ($10::boolean OR NOT ${isDigest('delivery')})`;

export const deliveryParameters = (selection: DeliverySelection): SqlValues => [
  ...eventParameters(selection),
  [...selection.sinks],
  selection.ids ? [...selection.ids] : null,
  selection.states ? [...selection.states] : null,
  selection.digests !== false,
];

/** The events that a walk visits: as few as an index can find. */
export function selectedOffsets({ sinks, ids, states, ...times }: DeliverySelection): ArchiveWalk['offsets'] {
  const ofSinks = 'SELECT archive_offset FROM delivery WHERE sink = ANY ($1::text[])';
  if (ids !== undefined)
    return { sql: `${ofSinks} AND event_id = ANY ($2::text[])`, parameters: [[...sinks], [...ids]] };
  const offsets = {
    parked: `${ofSinks} AND parked_until IS NOT NULL`,
    pending: `${ofSinks} AND delivered_at IS NULL`,
  };
  const isIndexed = (state: DeliveryState): state is keyof typeof offsets => state in offsets;
  if (states?.every(isIndexed))
    return { sql: states.map((state) => offsets[state]).join(' UNION ALL '), parameters: [[...sinks]] };
  return archivedOffsets(times);
}

/** Offsets grow with `archived_at`, apart from the difference between the clocks of replicas. */
const MAX_CLOCK_DIFFERENCE_MS = 3_600_000;

/** The events of the archive from one time to another, and some more. */
export function archivedOffsets({
  since,
  until,
}: Pick<EventSelection, 'since' | 'until'>): ArchiveWalk['offsets'] {
  const bounds = [
    ...(since ? [{ operator: '>=', at: new Date(since.getTime() - MAX_CLOCK_DIFFERENCE_MS) }] : []),
    ...(until ? [{ operator: '<', at: new Date(until.getTime() + MAX_CLOCK_DIFFERENCE_MS) }] : []),
  ];
  const conditions = bounds.map(
    ({ operator }, at) => `archive_offset ${operator} ${firstOffset(`$${at + 1}`)}`,
  );
  return {
    sql: `SELECT archive_offset FROM archive WHERE ${['true', ...conditions].join(' AND ')}`,
    parameters: bounds.map(({ at }) => at),
  };
}

/** SQL, a binary search for the first event that was archived at this time or later. One after the last event when there is none. */
const firstOffset = (time: string): string => `(
  WITH RECURSIVE search (low, high) AS (
    SELECT min(archive_offset), max(archive_offset) FROM archive
    UNION ALL
    SELECT CASE WHEN is_earlier THEN found + 1 ELSE low END, CASE WHEN is_earlier THEN high ELSE middle END
    FROM search CROSS JOIN LATERAL (SELECT (low + high) / 2 AS middle) AS half CROSS JOIN LATERAL (
      SELECT archive_offset AS found, archived_at < ${time}::timestamptz AS is_earlier FROM archive
      WHERE archive_offset >= middle ORDER BY archive_offset LIMIT 1
    ) AS probe
    WHERE low <= high AND NOT (low = high AND NOT is_earlier)
  )
  SELECT max(low) FROM search)`;
