import { ALL_PARTICIPANTS, DIGEST_DELIVERY_TYPE } from '@ssb/events';
import { Conditions, type Database } from '@ssb/postgres';

export const DELIVERY_STATES = ['parked', 'pending', 'skipped', 'withheld', 'replaced', 'delivered'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
/** States that `resend` and `skip` can select. */
export const RESENDABLE_STATES = DELIVERY_STATES.filter((state) => state !== 'pending');
export const SKIPPABLE_STATES = ['pending', 'parked'] as const satisfies readonly DeliveryState[];

const STATE = 'delivery_state(delivery)';
const IS_DIGEST = 'is_digest(delivery.details)';

export interface ListedDelivery {
  readonly offset: string;
  readonly eventId: string;
  readonly sink: string;
  readonly state: DeliveryState;
  readonly kind: string;
  readonly severity: string;
  readonly type: string;
  readonly subject: string;
  readonly participant: string;
  readonly archivedAt: Date;
  /** A reminder is added later than its event is archived. */
  readonly addedAt: Date;
  readonly attempts: number;
  readonly lastOutcome: string | null;
  readonly deliveredAt: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly problemId: string | null;
  readonly replayed: boolean;
  /** Why a rule or a silence withholds it. */
  readonly withheld: string | null;
  /** The delivery that has its event, of a grouped one. */
  readonly digestId: string | null;
}

export interface DeliveryFilter {
  /** Of an archived event, or of a message about one. A digest has its events, and an event its digest. */
  readonly eventId?: string | undefined;
  readonly sink?: string | undefined;
  readonly states?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly participants?: readonly string[] | undefined;
  /** It was added at this time or later, and before `until`. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly problemId?: string | undefined;
  /** Lists what follows this delivery. */
  readonly after?: Pick<ListedDelivery, 'offset' | 'sink' | 'eventId'> | undefined;
  readonly limit: number;
}

/** The newest events first. */
export async function listDeliveries(
  database: Database,
  filter: DeliveryFilter,
): Promise<{ readonly deliveries: readonly ListedDelivery[]; readonly more: boolean }> {
  const { states, after, limit } = filter;
  const conditions = new Conditions()
    .add(
      filter.eventId,
      (id) => `(delivery.event_id = ${id} OR about_event_id = ${id} OR digest_id = ${id}
         OR delivery.event_id = ANY (ARRAY(SELECT digest_id FROM delivery WHERE event_id = ${id} AND digest_id IS NOT NULL)))`,
    )
    .add(filter.sink, (sink) => `sink = ${sink}`)
    .add(filter.since, (time) => `delivery.created_at >= ${time}::timestamptz`)
    .add(filter.until, (time) => `delivery.created_at < ${time}::timestamptz`)
    .add(filter.problemId, (id) => `problem_id = ${id}`);
  addFacts(conditions, filter);
  if (states !== undefined) conditions.addText(`${STATE} = ANY (${conditions.parameter(states)}::text[])`);
  // Partial indexes serve these conditions.
  if (states?.length === 1 && states[0] === 'pending') conditions.addText('delivered_at IS NULL');
  if (states?.length === 1 && states[0] === 'parked') conditions.addText('parked_until IS NOT NULL');
  if (after !== undefined) {
    const offset = `${conditions.parameter(after.offset)}::bigint`;
    conditions.addText(
      `(archive.archive_offset < ${offset} OR (archive.archive_offset = ${offset} AND (sink, delivery.event_id) > (${conditions.parameter(after.sink)}, ${conditions.parameter(after.eventId)})))`,
    );
  }
  const rows = await database.query<ListedDelivery>(
    `SELECT archive.archive_offset::text AS "offset", delivery.event_id AS "eventId", sink, ${STATE} AS state, delivery.kind, delivery.severity,
            CASE WHEN ${IS_DIGEST} THEN '${DIGEST_DELIVERY_TYPE}' ELSE archive.type END AS type, delivery.subject,
            CASE WHEN ${IS_DIGEST} THEN '${ALL_PARTICIPANTS}' ELSE archive.participant END AS participant, archived_at AS "archivedAt", delivery.created_at AS "addedAt", attempts, last_outcome AS "lastOutcome",
            NULLIF(delivered_at, 'infinity') AS "deliveredAt", parked_until AS "nextAttemptAt", problem_id AS "problemId", replayed, withheld, digest_id AS "digestId"
     FROM archive JOIN delivery ON delivery.event_id = archive.event_id OR about_event_id = archive.event_id
     ${conditions.where}
     ORDER BY archive.archive_offset DESC, sink, delivery.event_id LIMIT ${conditions.parameter(limit + 1)}`,
    conditions.values,
  );
  return { deliveries: rows.slice(0, limit), more: rows.length > limit };
}

/** Types and participants. A digest matches when one of its events does, and by its own type. */
function addFacts(conditions: Conditions, { types, participants }: DeliveryFilter): void {
  if (types === undefined && participants === undefined) return;
  const ofTypes = types && `ANY (${conditions.parameter(types)}::text[])`;
  const ofParticipants = participants && `ANY (${conditions.parameter(participants)}::text[])`;
  const match = (archive: string, ...further: readonly string[]): string => {
    const isOfType = [`${archive}.type`, ...further].map((type) => `${type} = ${ofTypes}`).join(' OR ');
    return [
      ...(ofTypes === undefined ? [] : [`(${isOfType})`]),
      ...(ofParticipants === undefined ? [] : [`${archive}.participant = ${ofParticipants}`]),
    ].join(' AND ');
  };
  conditions.addText(
    `CASE WHEN ${IS_DIGEST} THEN EXISTS (
       SELECT FROM delivery AS member JOIN archive AS found ON found.event_id = member.event_id
       WHERE member.digest_id = delivery.event_id AND member.sink = delivery.sink AND ${match('found', `'${DIGEST_DELIVERY_TYPE}'`)}
     ) ELSE ${match('archive')} END`,
  );
}

export interface ListedAttempt {
  readonly eventId: string;
  readonly sink: string;
  readonly number: number;
  readonly at: Date;
  readonly durationMs: number;
  readonly outcome: string;
  readonly status: number | null;
  readonly response: string | null;
  readonly error: string | null;
}

export const MAX_ATTEMPTS = 500;

/** The newest `MAX_ATTEMPTS` attempts to deliver these events, oldest first. */
export async function listAttempts(
  database: Database,
  eventIds: readonly string[],
  sink?: string,
): Promise<readonly ListedAttempt[]> {
  const rows = await database.query<ListedAttempt>(
    `SELECT event_id AS "eventId", sink, number, at, duration_ms AS "durationMs", outcome, status, response, error
     FROM attempt WHERE event_id = ANY ($1::text[]) AND ($2::text IS NULL OR sink = $2) ORDER BY at DESC, number DESC LIMIT $3`,
    [eventIds, sink ?? null, MAX_ATTEMPTS],
  );
  return rows.reverse();
}
