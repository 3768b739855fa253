import type { MarginThresholds } from '../../../api/operations.js';
import { lookAhead } from './margin-outlook.js';

const TODAY = '2026-12-30';
const thresholds: MarginThresholds = { source: 'event', warning: '250000.00', breach: '100000.00' };
const forecast = (tradingDay: string, tradingMargin?: string) => ({
  tradingDay,
  calculatedAt: '2026-12-30T01:00:00Z',
  ...(tradingMargin !== undefined && { tradingMargin }),
});

it('finds the first day below the breach threshold', () => {
  const forecasts = [
    forecast('2027-01-02', '-5'),
    forecast('2026-12-31', '200000'),
    forecast('2027-01-01', '99999.99'),
  ];
  expect(lookAhead(forecasts, thresholds, TODAY)).toEqual({
    kind: 'breach',
    day: '2027-01-01',
    margin: '99999.99',
    until: '2027-01-02',
  });
});

it('finds the first day below the warning threshold when none is a breach', () => {
  const forecasts = [forecast('2026-12-30', '100000.00'), forecast('2026-12-31', '250000.00')];
  expect(lookAhead(forecasts, thresholds, TODAY)).toMatchObject({
    kind: 'warning',
    day: '2026-12-30',
    until: '2026-12-31',
  });
});

it('says until when no threshold is reached; a margin at a threshold is not below it', () => {
  expect(lookAhead([forecast('2026-12-31', '250000.00')], thresholds, TODAY)).toEqual({
    kind: 'clear',
    until: '2026-12-31',
  });
});

it('knows nothing from past days, from forecasts without a margin, and without thresholds', () => {
  expect(lookAhead([forecast('2026-12-29', '-5')], thresholds, TODAY).kind).toBe('unknown');
  expect(lookAhead([forecast('2026-12-31')], thresholds, TODAY).kind).toBe('unknown');
  expect(lookAhead([forecast('2026-12-31', '-5')], undefined, TODAY).kind).toBe('unknown');
});
