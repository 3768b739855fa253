import { parseMarketDate, type MarketService } from '@ssb/market';
import {
  businessDayFrom,
  monthOf,
  formatPeriodName,
  sundayOnOrBefore,
  formatTradeLabel,
  listTradingDays,
  weekFrom,
} from './period.js';

const day = parseMarketDate;

describe('names of periods', () => {
  // Week numbers by ISO 8601: 1 January 2027 is a Friday and still lies in week 53 of 2026.
  it.each<[MarketService, string, string, object]>([
    ['WEM', '2026-03-01', 'TW 01 MAR 2026', { tradeWeek: 'TW 01 MAR 2026' }],
    ['STEM', '2026-03-02', 'TW 10/26', { tradeWeek: '2026-10' }],
    ['STEM', '2026-01-01', 'TW 01/26', { tradeWeek: '2026-01' }],
    ['STEM', '2027-01-01', 'TW 53/26', { tradeWeek: '2026-53' }],
    ['STEM', '2024-12-30', 'TW 01/25', { tradeWeek: '2025-01' }],
    ['NSTEM', '2026-12-01', 'DEC 2026', { tradeMonth: '2026-12' }],
  ])('%s from %s is %s', (marketService, from, name, label) => {
    const period = weekFrom(marketService, day(from));
    expect([formatPeriodName(period), formatTradeLabel(period)]).toEqual([name, label]);
  });
});

describe('days', () => {
  it.each([
    ['2024-02-10', '2024-02-01', '2024-02-29'],
    ['2026-12-31', '2026-12-01', '2026-12-31'],
    ['2026-04-01', '2026-04-01', '2026-04-30'],
  ])('the month of %s is %s to %s', (of, from, to) => {
    expect(monthOf('NSTEM', day(of))).toEqual({ marketService: 'NSTEM', from, to });
  });

  it('lists the trading days over the end of a month', () => {
    const days = listTradingDays(weekFrom('WEM', day('2026-02-26')));
    expect(days).toEqual([
      '2026-02-26',
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
      '2026-03-02',
      '2026-03-03',
      '2026-03-04',
    ]);
  });

  // 1 March 2026 is a Sunday.
  it.each([
    ['2026-03-01', '2026-03-01', '2026-03-02'],
    ['2026-03-04', '2026-03-01', '2026-03-04'],
    ['2026-03-07', '2026-03-01', '2026-03-09'],
  ])('%s: the Sunday is %s, the business day %s', (of, sunday, business) => {
    expect([sundayOnOrBefore(day(of)), businessDayFrom(day(of))]).toEqual([sunday, business]);
  });
});
