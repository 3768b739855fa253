import { parseEstimationKey, parseRunKey } from './settlement-key.js';

describe('parseRunKey', () => {
  it.each([
    ['WEM', '2026-03-01', 'INITIAL', '2026-03-01'],
    ['WEM', '2026-03-01T08:00:00', 'ADJ3', '2026-03-01'],
    ['NSTEM', '2024-02-29', 'ADJ1', '2024-02-29'],
    ['STEM', '2026-12-31', 'INITIAL', '2026-12-31'],
  ])('accepts %s %s %s', (marketService, periodFrom, designation, day) => {
    expect(parseRunKey({ marketService, periodFrom, designation }, 'periodFrom')).toEqual({
      ok: true,
      value: { marketService, periodFrom: day, designation },
    });
  });

  it.each([
    ['wem', '2026-03-01', 'INITIAL', 'unknown-market-service'],
    ['toString', '2026-03-01', 'INITIAL', 'unknown-market-service'],
    ['WEM', '2026-02-29', 'INITIAL', 'impossible-date'],
    ['WEM', '2026-03-01', 'ADJ4', 'designation-not-allowed'],
    ['WEM', '2026-03-01', 'initial', 'designation-not-allowed'],
    ['STEM', '2026-03-01', 'ADJ1', 'designation-not-allowed'],
  ])('refuses %s %s %s: %s', (marketService, periodFrom, designation, reason) => {
    expect(parseRunKey({ marketService, periodFrom, designation }, 'periodFrom')).toMatchObject({
      ok: false,
      reason,
    });
  });
});

describe('parseEstimationKey', () => {
  it('accepts a trading day of an NSTEM period', () => {
    const period = { marketService: 'NSTEM', periodFrom: '2026-03-01', designation: 'ADJ2' };
    expect(parseEstimationKey({ ...period, tradingDay: '2026-03-31T00:00:00' })).toEqual({
      ok: true,
      value: { periodFrom: '2026-03-01', designation: 'ADJ2', tradingDay: '2026-03-31' },
    });
  });

  it.each([
    ['WEM', '2026-03-01', 'INITIAL', '2026-03-01', 'market-service-not-allowed', 'marketService'],
    ['GAS', '2026-03-01', 'INITIAL', '2026-03-01', 'unknown-market-service', 'marketService'],
    ['NSTEM', 'today', 'INITIAL', '2026-03-01', 'impossible-date', 'periodFrom'],
    ['NSTEM', '2026-03-01', 'ADJ9', '2026-03-01', 'designation-not-allowed', 'designation'],
    ['NSTEM', '2026-03-01', 'INITIAL', '2026-04-31', 'impossible-date', 'tradingDay'],
  ])('refuses %s %s %s %s: %s', (marketService, periodFrom, designation, tradingDay, reason, parameter) => {
    expect(parseEstimationKey({ marketService, periodFrom, designation, tradingDay })).toMatchObject({
      ok: false,
      reason,
      parameter,
    });
  });
});
