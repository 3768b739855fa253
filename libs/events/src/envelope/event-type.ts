/** Every event type. A new one also needs a definition in `types/` and an entry in `definitions.ts`. */
export const EVENT_TYPES = [
  'settlementbus.statement.published.v1',
  'settlementbus.statement.revised.v1',
  'settlementbus.statement.overdue.v1',
  'settlementbus.statement.disagreement-due.v1',
  'settlementbus.statement.disagreement-lapsed.v1',
  'settlementbus.invoice.issued.v1',
  'settlementbus.invoice.adjusted.v1',
  'settlementbus.invoice.reversed.v1',
  'settlementbus.invoice.overdue.v1',
  'settlementbus.invoice.discrepancy.v1',
  'settlementbus.invoice.document-stored.v1',
  'settlementbus.payment.due.v1',
  'settlementbus.estimation.published.v1',
  'settlementbus.timeline.changed.v1',
  'settlementbus.position.calculated.v1',
  'settlementbus.position.stale.v1',
  'settlementbus.position.resumed.v1',
  'settlementbus.margin.warning.v1',
  'settlementbus.margin.breached.v1',
  'settlementbus.margin.restored.v1',
  'settlementbus.margin.breach-forecast.v1',
  'settlementbus.margin.forecast-cleared.v1',
  'settlementbus.credit-support.short.v1',
  'settlementbus.credit-support.restored.v1',
  'settlementbus.market.unreachable.v1',
  'settlementbus.market.recovered.v1',
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

/** Whether an event type matches a pattern, in which `*` stands for any text. */
export function matchesPattern(pattern: string, type: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === type;
  const last = rest.pop() ?? '';
  if (!type.startsWith(first)) return false;
  let position = first.length;
  for (const part of rest) {
    const found = type.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return type.length >= position + last.length && type.endsWith(last);
}
