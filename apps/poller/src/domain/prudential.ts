import { parseMarketDateTime, type MarketDateTime, type PrudentialCalculationSummary } from '@ssb/market';
import type { MarginReading } from './margin.js';

export type PrudentialVerdict =
  | { readonly ok: true; readonly reading: MarginReading }
  | { readonly ok: false; readonly reason: 'incomplete'; readonly missing: readonly string[] }
  | { readonly ok: false; readonly reason: 'other-participant'; readonly participantCode: string };

/**
 * Takes the margin out of the latest summary. The document requires none of its fields, so each that a decision needs is looked for
 * (document 000, PrudentialCalculationSummary).
 */
export function readPrudential(
  participant: string,
  summary: PrudentialCalculationSummary,
): PrudentialVerdict {
  const { participantCode, tradingDay, calculatedAt, tradingMargin, outstandingAmount } = summary;
  if (participantCode != null && participantCode !== participant) {
    return { ok: false, reason: 'other-participant', participantCode };
  }
  if (tradingDay === undefined || calculatedAt === undefined || tradingMargin === undefined) {
    const needed = { tradingDay, calculatedAt, tradingMargin };
    const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []));
    return { ok: false, reason: 'incomplete', missing };
  }
  return {
    ok: true,
    reading: { tradingDay, calculatedAt: toMilliseconds(calculatedAt), tradingMargin, outstandingAmount },
  };
}

/** Some servers write seven digits of a second; events carry at most three. Cut, so that the same calculation keeps the same key. */
function toMilliseconds(time: MarketDateTime): MarketDateTime {
  return parseMarketDateTime(time.replace(/(\.\d{3})\d+$/, '$1'));
}
