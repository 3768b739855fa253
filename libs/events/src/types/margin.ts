import { compose, instantOf } from '../envelope/compose.js';
import type { Detection, DetectedEvent } from '../envelope/event.js';
import type { EventType } from '../envelope/event-type.js';
import { dateTime, decimal, object, oneOf, type JsonSchema } from './schema-parts.js';

/** Where a trading margin stands against the participant's own thresholds. It is not the operator's margin call. */
export const MARGIN_LEVELS = ['OK', 'WARNING', 'BREACHED'] as const;
export type MarginLevel = (typeof MARGIN_LEVELS)[number];

/** The trading margin went over a threshold. Amounts are AUD decimal strings; times are zone-less market time. */
export interface MarginData {
  readonly tradingDay: string;
  readonly calculatedAt: string;
  readonly level: MarginLevel;
  readonly previousLevel: MarginLevel;
  /** The operator's own figure, every digit. */
  readonly tradingMargin: string;
  readonly outstandingAmount?: string;
  readonly thresholds: { readonly warning: string; readonly breach: string; readonly hysteresis: string };
}

export type MarginFact = MarginData & { readonly participant: string };

export type MarginEventType = Extract<EventType, `settlementbus.margin.${string}`>;

/**
 * A change for the worse is named by the level it reached; any change for the better is a restoration.
 * @throws RangeError when nothing changed: there is no such fact to state
 */
export function marginEventType(previous: MarginLevel, level: MarginLevel): MarginEventType {
  if (level === previous) throw new RangeError(`a margin that stays ${level} is no change`);
  if (MARGIN_LEVELS.indexOf(level) < MARGIN_LEVELS.indexOf(previous))
    return 'settlementbus.margin.restored.v1';
  return level === 'BREACHED' ? 'settlementbus.margin.breached.v1' : 'settlementbus.margin.warning.v1';
}

/** The margin changed its level. Source: document 000, operation 2, against the operator's thresholds. */
export function marginChanged(
  { participant, ...data }: MarginFact,
  detection: Detection,
): DetectedEvent<MarginEventType> {
  const { tradingDay, calculatedAt } = data;
  return compose(
    {
      type: marginEventType(data.previousLevel, data.level),
      participant,
      // Figures can be calculated again for the same trading day, so the day alone does not tell them apart.
      naturalKey: `${tradingDay}|${calculatedAt}`,
      version: '1',
      subject: marginSubject(participant),
      // A server that leaves the time at its default writes the year 1: the breach is told all the same.
      sequence: BigInt(Math.max(0, instantOf(calculatedAt).getTime())),
      marketTime: calculatedAt,
    },
    data,
    detection,
  );
}

/** `<participant>/prudential`. */
export function marginSubject(participant: string): string {
  return `${participant}/prudential`;
}

/** Between which levels the margin moved when an event of that type is stated. */
const MOVES: Readonly<
  Record<MarginEventType, { readonly from: readonly MarginLevel[]; readonly to: readonly MarginLevel[] }>
> = {
  'settlementbus.margin.warning.v1': { from: ['OK'], to: ['WARNING'] },
  'settlementbus.margin.breached.v1': { from: ['OK', 'WARNING'], to: ['BREACHED'] },
  'settlementbus.margin.restored.v1': { from: ['WARNING', 'BREACHED'], to: ['OK', 'WARNING'] },
};

/** JSON schema of the `data` of one type, which names the levels that type can speak of. */
export function marginSchema(type: MarginEventType): JsonSchema {
  const { from, to } = MOVES[type];
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
