import { createFactEvent, validateDetectedEvent, type Fact } from '@ssb/events';
import {
  parseDecimal,
  parseMarketDate,
  parseMarketDateTime,
  toInstant,
  type Decimal,
  type PrudentialCalculation,
} from '@ssb/market';
import type { DetectionSettings, MarginSettings, Threshold } from '@ssb/config';
import type { LeftOut, Unreadable } from '../../src/detection/detection.js';
import { detectPositions, type PositionState } from '../../src/detection/position/detect-positions.js';
import { detectWithoutResponse } from '../../src/detection/position/detect-without-response.js';
import type { FutureCalculation } from '../../src/detection/position/future-calculations.js';
import {
  formatPositionState,
  parsePositionState,
} from '../../src/detection/position/position-state-schema.js';

export const PARTICIPANT = 'ALPHA';
/** A Monday. */
const DAY = '2026-03-02';

export const amount = (text: string): Threshold => ({ kind: 'amount', amount: parseDecimal(text) });
export const share = (percent: string): Threshold => ({ kind: 'share', percent: parseDecimal(percent) });

interface SettingsChange {
  readonly margin?: Partial<MarginSettings>;
  readonly forecast?: Partial<DetectionSettings['forecast']>;
  readonly position?: Partial<DetectionSettings['position']>;
}

/** Warning below 250,000, breach below 100,000, hysteresis 10,000; no trend, and a position is hardly ever stale. */
export function settingsWith({ margin, forecast, position }: SettingsChange = {}): DetectionSettings {
  return {
    margin: {
      warning: amount('250000'),
      breach: amount('100000'),
      hysteresis: amount('10000'),
      deepeningStep: amount('0'),
      minDurationMs: 0,
      severity: { warning: 'warning', breached: 'critical', restored: 'info' },
      ...margin,
    },
    forecast: { horizonDays: 7, trend: { method: 'none', calculations: 5, minSpanMs: 0 }, ...forecast },
    position: { staleAfterMs: 100 * 86_400_000, days: [0, 1, 2, 3, 4, 5, 6], ...position },
    settlement: { overdueGraceMs: 0, estimations: false, markets: ['WEM', 'NSTEM', 'STEM'] },
    payments: { remindDaysBefore: [], dayKind: 'calendar', positiveAmount: 'pay' },
    disagreement: {},
    discrepancies: { gstPercent: parseDecimal('10'), gstTolerance: parseDecimal('0.01') },
    market: { unreachableAfterMs: 0 },
    calendar: { businessDays: [], holidays: new Set() },
  };
}

type Amounts = {
  readonly [
    Name in
      | 'tradingMargin'
      | 'outstandingAmount'
      | 'creditSupport'
      | 'creditLimit'
      | 'tradingLimit'
      | 'prepayment'
  ]?: string;
};

/** A full date-time, or a time of 2 March 2026. */
const time = (text: string) => parseMarketDateTime(text.includes('T') ? text : `${DAY}T${text}`);

/** A calculation; an amount alone is its trading margin. */
export function row(
  calculatedAt: string,
  amounts: Amounts | string,
  { tradingDay = DAY, isForecast }: { tradingDay?: string; isForecast?: boolean } = {},
): PrudentialCalculation {
  const figures = typeof amounts === 'string' ? { tradingMargin: amounts } : amounts;
  const parsed = Object.entries(figures).map(([name, text]) => [name, parseDecimal(text)] as const);
  return {
    participantCode: PARTICIPANT,
    tradingDay: time(`${tradingDay}T00:00:00`),
    calculatedAt: time(calculatedAt),
    ...(isForecast !== undefined && { isForecast }),
    ...(Object.fromEntries(parsed) as Record<string, Decimal>),
  };
}

export const forecast = (calculatedAt: string, tradingDay: string, amounts: Amounts | string) =>
  row(calculatedAt, amounts, { tradingDay, isForecast: true });

/** One poll: what the operator serves, the settings and the time. */
export interface Poll {
  /** Undefined when there is no usable response. */
  readonly rows: readonly PrudentialCalculation[] | undefined;
  readonly settings?: DetectionSettings;
  /** Market time; by default noon. */
  readonly now?: string;
  /** The first trading day that was requested; by default long before every calculation. */
  readonly firstDay?: string;
  /** Items of the response that were left out; each is before the rows. */
  readonly unreadable?: number;
}

export interface Polled {
  readonly future: readonly FutureCalculation[];
  readonly facts: readonly Fact[];
  readonly unreadable: readonly Unreadable[];
  readonly leftOut?: readonly LeftOut[] | undefined;
  readonly state: PositionState;
  readonly announcedState?: PositionState | undefined;
}

/** Polls one after the other, with a restart before each. */
export function pollAll(polls: readonly Poll[], saved?: PositionState): Polled[] {
  const results: Polled[] = [];
  let state = saved;
  for (const poll of polls) {
    const {
      rows,
      settings = settingsWith(),
      now = '12:00:00',
      firstDay = '2026-01-01',
      unreadable = 0,
    } = poll;
    const context = { participant: PARTICIPANT, settings, now: toInstant(time(now)) };
    if (rows === undefined) {
      const detected = detectWithoutResponse(state, context);
      results.push({ ...detected, future: detected.state.future });
      state = parsePositionState(formatPositionState(detected.state));
      continue;
    }
    const response = {
      value: rows,
      unreadable: Array.from({ length: unreadable }, (_, index) => ({
        path: `data[${index}]`,
        issues: [{ path: `data[${index}].tradingMargin`, message: 'expected a number' }],
        values: [],
      })),
      indexes: rows.map((_, index) => unreadable + index),
      firstDay: parseMarketDate(firstDay),
    };
    const detected = detectPositions(state, response, context);
    results.push(detected);
    state = parsePositionState(formatPositionState(detected.state));
  }
  return results;
}

export function eventOf(fact: Fact) {
  return createFactEvent(fact, PARTICIPANT, { detectedAt: toInstant(time('12:00:00')), traceparent: TRACE });
}

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Problems of the schema, for facts that must have none. */
export function schemaProblems(facts: readonly Fact[]): unknown[] {
  return facts.map((fact) => validateDetectedEvent(eventOf(fact))).filter(({ ok }) => !ok);
}

/** Short forms such as `margin.breached 10:00:00 -1 calculation/0`, without position.calculated. */
export function summarise(facts: readonly Fact[]): string[] {
  return facts.filter(({ type }) => type !== 'settlementbus.position.calculated.v1').map(summariseFact);
}

function summariseFact({ type, data }: Fact): string {
  const name = type.replace(/^settlementbus\./, '').replace(/\.v1$/, '');
  const { calculatedAt, lastCalculatedAt, tradingMargin, difference, cause, transition } = data as Record<
    string,
    string | undefined
  >;
  const at = (calculatedAt ?? lastCalculatedAt)?.replace(`${DAY}T`, '');
  const how = [cause, transition].filter((part) => part !== undefined).join('/');
  return [name, at, tradingMargin ?? difference, how].filter(Boolean).join(' ');
}
