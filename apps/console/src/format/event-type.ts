import type { EventType } from 'settlement-bus-downstream/verify';

/** An event type without its prefix and version, such as `margin.breached`. */
export function shortType(type: string): string {
  return type.replace(/^settlementbus\./, '').replace(/\.v\d+$/, '');
}

type ShortType = EventType extends `settlementbus.${infer Name}.v1` ? Name : never;

/** Each event type without prefix and version, and what it says in plain words. */
const WORDS = {
  'statement.published': 'Statement published',
  'statement.revised': 'Statement revised',
  'statement.overdue': 'Statement overdue',
  'statement.disagreement-due': 'Last day to dispute is near',
  'statement.disagreement-lapsed': 'Last day to dispute has passed',
  'invoice.issued': 'Invoice issued',
  'invoice.adjusted': 'Invoice adjusted',
  'invoice.reversed': 'Invoice reversed',
  'invoice.overdue': 'Invoice overdue',
  'invoice.discrepancy': 'Invoice does not add up',
  'invoice.document-stored': 'Invoice document stored',
  'payment.due': 'Payment due soon',
  'estimation.published': 'Estimation published',
  'timeline.changed': 'Settlement timeline changed',
  'position.calculated': 'Position calculated',
  'position.stale': 'Position out of date',
  'position.resumed': 'Position up to date again',
  'margin.warning': 'Margin warning',
  'margin.breached': 'Margin breached',
  'margin.restored': 'Margin better again',
  'margin.breach-forecast': 'Breach forecast',
  'margin.forecast-cleared': 'Breach no longer forecast',
  'credit-support.short': 'Credit support too low',
  'credit-support.restored': 'Credit support restored',
  'market.unreachable': 'Operator unreachable',
  'market.recovered': 'Operator reachable again',
  'bridge.alert.raised': 'Fault of the bridge',
  'bridge.alert.cleared': 'Fault of the bridge ended',
  'bridge.heartbeat': 'Heartbeat',
} satisfies Readonly<Record<ShortType, string>>;

/** Of every event type, without prefix and version. */
export const SHORT_TYPES = Object.keys(WORDS) as readonly ShortType[];

/** What an event of this type says, in plain words. A type of a later release stays as it is. */
export function describeType(type: string): string {
  const short = shortType(type);
  return Object.hasOwn(WORDS, short) ? WORDS[short as ShortType] : short;
}

/** Whether a type matches a pattern as people write it, in which `*` stands for any text. */
export function matchesType(pattern: string, type: string): boolean {
  const parts = shortType(pattern)
    .split('*')
    .map((part) => part.replaceAll(/[^\w-]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(shortType(type));
}
