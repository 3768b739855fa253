import type { BodyOf } from '../../api/api-client.js';
import type { DeliveryRow, RequestRow } from '../../api/operations.js';
import { groupBy } from '../../format/group-by.js';
import { countOf } from '../../format/count.js';
import { changedBy } from '../../format/request-outcome.js';

/** What is done with deliveries. */
export type DeliveryAction = 'resend' | 'skip';

type Selected = Pick<DeliveryRow, 'eventId' | 'sink' | 'state' | 'digestId'>;

const STATES = {
  resend: ['parked', 'delivered', 'replaced', 'skipped', 'withheld'],
  skip: ['pending', 'parked'],
} as const satisfies Readonly<Record<DeliveryAction, readonly DeliveryRow['state'][]>>;

/** Whether the action applies to a delivery in this state. */
export function isAllowed(action: DeliveryAction, { state }: Pick<DeliveryRow, 'state'>): boolean {
  return (STATES[action] as readonly string[]).includes(state);
}

/** Why the action does not apply to a delivery. */
export function explainRefusal(action: DeliveryAction, { state }: Pick<DeliveryRow, 'state'>): string {
  return action === 'resend'
    ? 'It is pending: it is attempted without being resent.'
    : `It cannot be skipped, because it is ${state}: only pending and parked deliveries can.`;
}

/** A request names at most as many events. */
const MAX_EVENTS = 500;

type Body = BodyOf<'/v1/deliveries/resend'> & BodyOf<'/v1/deliveries/skip'>;

/** Identifies a delivery among others. */
export const keyOf = ({ eventId, sink }: Pick<DeliveryRow, 'eventId' | 'sink'>): string =>
  `${eventId} ${sink}`;

/** The requests for the selected deliveries: one for each sink and at most 500 events. They name the states, so that what has changed meanwhile is left. */
export function toBodies(
  action: DeliveryAction,
  deliveries: readonly Selected[],
  comment: string | undefined,
): readonly Body[] {
  const allowed = deliveries.filter((delivery) => isAllowed(action, delivery));
  return [...groupBy(allowed, ({ sink }) => sink)].flatMap(([sink, rows]) =>
    toChunks(rows).map(
      (chunk) =>
        ({
          sink,
          events: chunk.map(({ eventId }) => eventId),
          states: [...new Set(chunk.map(({ state }) => state))],
          ...(comment !== undefined && { comment }),
        }) as Body,
    ),
  );
}

/** Those that a request does not name. */
export function withoutNamed<Row extends Pick<DeliveryRow, 'eventId' | 'sink'>>(
  deliveries: readonly Row[],
  { sink, events = [] }: Pick<Body, 'sink' | 'events'>,
): readonly Row[] {
  return deliveries.filter((each) => each.sink !== sink || !events.includes(each.eventId));
}

function toChunks<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  return Array.from({ length: Math.ceil(rows.length / MAX_EVENTS) }, (_, index) =>
    rows.slice(index * MAX_EVENTS, (index + 1) * MAX_EVENTS),
  );
}

/** What a request about deliveries to a sink has changed. */
export function describeChanged(
  action: DeliveryAction,
  sink: string,
  request: Pick<RequestRow, 'result'>,
): string {
  const changed = changedBy(request);
  if (changed === 0) return `Nothing was changed: no delivery to ${sink} is in the state that it was in.`;
  const count = countOf(changed, 'delivery', 'deliveries');
  return action === 'resend' ? `${count} to ${sink} pending again.` : `${count} to ${sink} skipped.`;
}
