import { createEvent, toInstant, type FactIdentity } from '../envelope/create-event.js';
import type { Detection, EventEnvelope } from '../envelope/envelope.js';
import type { EventType } from '../envelope/event-type.js';
import { dateTime, decimal, object, oneOf, type JsonSchema } from './json-schema.js';

/** Level of a trading margin against the participant's own thresholds, best first. It is not the market's margin call. */
export const MARGIN_LEVELS = ['OK', 'WARNING', 'BREACHED'] as const;
export type MarginLevel = (typeof MARGIN_LEVELS)[number];

/** The trading margin crossed a threshold. Amounts are AUD decimal strings; times are zone-less market time. */
export interface MarginData {
  readonly tradingDay: string;
  readonly calculatedAt: string;
  readonly level: MarginLevel;
  readonly previousLevel: MarginLevel;
  /** The market's figure with every digit. */
  readonly tradingMargin: string;
  readonly outstandingAmount?: string;
  readonly thresholds: { readonly warning: string; readonly breach: string; readonly hysteresis: string };
}

export type MarginFact = MarginData & { readonly participant: string };

export type MarginEventType = Extract<EventType, `settlementbus.margin.${string}`>;

/**
 * A worse level gives the type of that level; every better level gives `restored`.
 * @throws RangeError when the level did not change
 */
export function marginEventType(previous: MarginLevel, level: MarginLevel): MarginEventType {
  if (level === previous) throw new RangeError(`The margin level did not change: ${level}`);
  if (MARGIN_LEVELS.indexOf(level) < MARGIN_LEVELS.indexOf(previous))
    return 'settlementbus.margin.restored.v1';
  return level === 'BREACHED' ? 'settlementbus.margin.breached.v1' : 'settlementbus.margin.warning.v1';
}

/** Creates the event of a changed margin level. Source: document 000, operation 2. */
export function createMarginEvent(
  { participant, ...data }: MarginFact,
  detection: Detection,
): EventEnvelope<MarginEventType, MarginData> {
  const { calculatedAt } = data;
  return createEvent(
    {
      type: marginEventType(data.previousLevel, data.level),
      ...identifyMargin(participant, data),
      // Some servers send year 1 as the default time; the breach must still be published.
      sequence: BigInt(Math.max(0, toInstant(calculatedAt).getTime())),
      marketTime: calculatedAt,
    },
    data,
    detection,
  );
}

export function identifyMargin(
  participant: string,
  { tradingDay, calculatedAt }: Pick<MarginData, 'tradingDay' | 'calculatedAt'>,
): FactIdentity {
  return {
    participant,
    // The market can recalculate a trading day, so the day alone does not identify the figures.
    naturalKey: `${tradingDay}|${calculatedAt}`,
    version: '1',
    subject: marginSubject(participant),
  };
}

/** `<participant>/prudential`. */
export function marginSubject(participant: string): string {
  return `${participant}/prudential`;
}

/** The previous and new levels that each type allows. */
const LEVEL_CHANGES: Readonly<
  Record<MarginEventType, { readonly from: readonly MarginLevel[]; readonly to: readonly MarginLevel[] }>
> = {
  'settlementbus.margin.warning.v1': { from: ['OK'], to: ['WARNING'] },
  'settlementbus.margin.breached.v1': { from: ['OK', 'WARNING'], to: ['BREACHED'] },
  'settlementbus.margin.restored.v1': { from: ['WARNING', 'BREACHED'], to: ['OK', 'WARNING'] },
};

/** JSON Schema of the `data` of one type, with the levels that the type allows. */
export function marginSchema(type: MarginEventType): JsonSchema {
  const { from, to } = LEVEL_CHANGES[type];
  return object(
    {
      tradingDay: dateTime,
      calculatedAt: dateTime,
      level: oneOf(...to),
      previousLevel: oneOf(...from),
      tradingMargin: decimal,
      outstandingAmount: decimal,
      thresholds: object({ warning: decimal, breach: decimal, hysteresis: decimal }),
    },
    ['outstandingAmount'],
  );
}
