import { describe, expect, it } from '@jest/globals';
import { askSettlement, askTimeline } from './settlement-question.js';

describe('askSettlement', () => {
  it.each([
    ['WEM', '2026-03-01', 'INITIAL', '2026-03-01'],
    ['WEM', '2026-03-01T08:00:00', 'ADJ3', '2026-03-01'],
    ['NSTEM', '2024-02-29', 'ADJ1', '2024-02-29'],
    ['STEM', '2026-12-31', 'INITIAL', '2026-12-31'],
  ])('understands %s %s %s', (marketService, periodFrom, designation, day) => {
    expect(askSettlement(marketService, periodFrom, designation)).toEqual({
      ok: true,
      key: { marketService, periodFrom: day, designation },
    });
  });

  it.each([
    ['wem', '2026-03-01', 'INITIAL', 'unknown-market-service'],
    ['toString', '2026-03-01', 'INITIAL', 'unknown-market-service'],
    ['WEM', '2026-02-29', 'INITIAL', 'impossible-date'],
    ['WEM', '2026-3-1', 'INITIAL', 'impossible-date'],
    ['WEM', '2026-03-01T24:00:00', 'INITIAL', 'impossible-date'],
    ['WEM', '2026-03-01T00:00:00Z', 'INITIAL', 'impossible-date'],
    ['WEM', '0000-01-01', 'INITIAL', 'impossible-date'],
    ['WEM', '2026-03-01', 'ADJ4', 'designation-not-allowed'],
    ['WEM', '2026-03-01', 'initial', 'designation-not-allowed'],
    ['STEM', '2026-03-01', 'ADJ1', 'designation-not-allowed'],
  ])('refuses %s %s %s: %s', (marketService, periodFrom, designation, reason) => {
    expect(askSettlement(marketService, periodFrom, designation)).toMatchObject({ ok: false, reason });
  });

  it('tells what is allowed', () => {
    expect(askSettlement('STEM', '2026-03-01', 'ADJ1')).toMatchObject({
      parameter: 'designation',
      detail: '"ADJ1" is no designation of STEM: allowed is INITIAL.',
    });
  });
});

describe('askTimeline', () => {
  it('understands both forms of a day', () => {
    expect(askTimeline('2026-03-01', '2026-03-01T23:59:59')).toEqual({
      ok: true,
      window: { from: '2026-03-01', to: '2026-03-01' },
    });
  });

  it.each([
    [undefined, '2026-03-01', 'parameter-missing', 'invoiceDateFrom'],
    ['2026-03-01', undefined, 'parameter-missing', 'invoiceDateTo'],
    [['2026-03-01', '2026-03-02'], '2026-03-01', 'parameter-missing', 'invoiceDateFrom'],
    ['', '2026-03-01', 'impossible-date', 'invoiceDateFrom'],
    ['2026-03-01', '2026-04-31', 'impossible-date', 'invoiceDateTo'],
    ['2026-03-02', '2026-03-01', 'window-upside-down', 'invoiceDateTo'],
  ])('refuses %s to %s: %s', (from, to, reason, parameter) => {
    expect(askTimeline(from, to)).toMatchObject({ ok: false, reason, parameter });
  });
});
