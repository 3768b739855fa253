/** Every event type. A new one also needs a file in `types/` and entries in `event.ts` and `catalogue.ts`. */
export const EVENT_TYPES = [
  'settlementbus.statement.published.v1',
  'settlementbus.invoice.issued.v1',
  'settlementbus.margin.warning.v1',
  'settlementbus.margin.breached.v1',
  'settlementbus.margin.restored.v1',
  'settlementbus.bridge.alert.raised.v1',
  'settlementbus.bridge.alert.cleared.v1',
  'settlementbus.bridge.heartbeat.v1',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

const PREFIX = 'settlementbus.';

/** Default topic of each type: the type without its prefix. */
export const TOPIC_BY_EVENT_TYPE: Readonly<Record<EventType, string>> = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, type.slice(PREFIX.length)]),
) as Record<EventType, string>;

export function isEventType(text: unknown): text is EventType {
  return EVENT_TYPES.some((type) => type === text);
}
