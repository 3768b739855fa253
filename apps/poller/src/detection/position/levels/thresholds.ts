import type { MarginData } from '@ssb/events';
import { canonicalJson } from '@ssb/identity';
import { compareDecimals, type Decimal } from '@ssb/market';
import {
  resolveThreshold,
  type DetectionSettings,
  type ForecastSettings,
  type MarginSettings,
} from '@ssb/config';
import type { Calculation } from '../calculation.js';

/** The settings that decide levels. They are saved, so that a later start detects a change. */
export interface Policy {
  readonly margin: Omit<MarginSettings, 'severity'>;
  readonly forecast: ForecastSettings;
}

/** Thresholds in AUD. `breach` lies at or below `warning`. */
export interface Thresholds {
  readonly warning: Decimal;
  readonly breach: Decimal;
  readonly hysteresis: Decimal;
  readonly deepeningStep: Decimal;
}

type Limited = Pick<Calculation, 'tradingLimit'>;

export function policyOf({ margin, forecast }: DetectionSettings): Policy {
  const { warning, breach, hysteresis, deepeningStep, minDurationMs } = margin;
  return { margin: { warning, breach, hysteresis, deepeningStep, minDurationMs }, forecast };
}

export function isSamePolicy(a: Policy, b: Policy): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** @returns undefined when a threshold is a share and the calculation has no trading limit */
export function resolveThresholds(policy: Policy, calculation: Limited): Thresholds | undefined {
  const { tradingLimit } = calculation;
  const breach = resolveBreach(policy, calculation);
  const warning = resolveThreshold(policy.margin.warning, tradingLimit);
  const deepeningStep = resolveThreshold(policy.margin.deepeningStep, tradingLimit);
  if (breach === undefined || warning === undefined || deepeningStep === undefined) return undefined;
  return { warning, ...breach, deepeningStep };
}

/** The thresholds that a forecast of a breach needs. */
export function resolveBreach(
  { margin }: Policy,
  { tradingLimit }: Limited,
): Pick<Thresholds, 'breach' | 'hysteresis'> | undefined {
  const breach = resolveThreshold(margin.breach, tradingLimit);
  const hysteresis = resolveThreshold(margin.hysteresis, tradingLimit);
  return breach === undefined || hysteresis === undefined ? undefined : { breach, hysteresis };
}

/** The thresholds in the form of events. */
export function describeThresholds(
  policy: Policy,
  thresholds: Thresholds,
  { tradingLimit }: Limited,
): MarginData['thresholds'] {
  const { minDurationMs } = policy.margin;
  const method = usesShares(policy) ? 'share' : 'amount';
  return {
    ...thresholds,
    method,
    ...(method === 'share' && { tradingLimit }),
    minDurationSeconds: Math.floor(minDurationMs / 1_000),
  };
}

export function isBelow(amount: Decimal, threshold: Decimal): boolean {
  return compareDecimals(amount, threshold) < 0;
}

function usesShares({ margin }: Policy): boolean {
  return [margin.warning, margin.breach, margin.hysteresis, margin.deepeningStep].some(
    ({ kind }) => kind === 'share',
  );
}
