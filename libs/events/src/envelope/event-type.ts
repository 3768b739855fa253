/** Every kind of fact the bridge states. A new one is a file in `types/` and a line here and in the catalogue. */
export const EVENT_TYPES = [
  'settlementbus.statement.published.v1',
  'settlementbus.invoice.issued.v1',
  'settlementbus.margin.warning.v1',
  'settlementbus.margin.breached.v1',
  'settlementbus.margin.restored.v1',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

const PREFIX = 'settlementbus.';

/** Topic of each type within its channel: the type without its first word. */
export const TOPIC_OF: Readonly<Record<EventType, string>> = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, type.slice(PREFIX.length)]),
) as Record<EventType, string>;

export function isEventType(text: unknown): text is EventType {
  return EVENT_TYPES.some((type) => type === text);
}
