import {
  parseMarketDate,
  parseMarketDateTime,
  SettlementStatementSummary,
  type Designation,
} from '@ssb/market';
import { weekFrom } from '../calendar/period.js';
import { statementOf, type StatementOrder } from './statement.js';

const day = parseMarketDate;

const order = (
  designation: Designation = 'INITIAL',
  change: Partial<StatementOrder> = {},
): StatementOrder => ({
  participant: 'WPGENCO',
  run: {
    period: weekFrom('WEM', day('2026-03-01')),
    designation,
    statementDate: day('2026-03-12'),
    invoiceDate: day('2026-03-13'),
    settlementDate: day('2026-03-18'),
  },
  runId: 7,
  publishedAt: parseMarketDateTime('2026-03-12T10:00:00'),
  seed: 'test',
  ...change,
});

const values = (statement: SettlementStatementSummary): string[] =>
  statement.tradingDays.flatMap(({ variables }) => variables.map(({ value }) => value));

describe('statementOf', () => {
  it('keeps every rule of the document', () => {
    const text = SettlementStatementSummary.serialise(statementOf(order()));
    expect(text).toContain(
      '"period":"TW 01 MAR 2026","periodFrom":"2026-03-01T00:00:00","periodTo":"2026-03-07T00:00:00"',
    );
    expect(statementOf(order()).tradingDays).toHaveLength(7);
  });

  it('is the same for the same order', () => {
    expect(statementOf(order())).toEqual(statementOf(order()));
  });

  it.each<[string, StatementOrder]>([
    ['seed', order('INITIAL', { seed: 'other' })],
    ['participant', order('INITIAL', { participant: 'OTHER' })],
    ['designation', order('ADJ1')],
  ])('has other figures for another %s', (_what, other) => {
    expect(values(statementOf(other))).not.toEqual(values(statementOf(order())));
  });

  it('keeps each variable near what is usual for the participant, day after day', () => {
    const spread = (name: string): number => {
      const days = statementOf(order()).tradingDays.map(({ variables }) =>
        Number(variables.find(({ variable }) => variable === name)?.value),
      );
      return Math.max(...days) / Math.min(...days);
    };
    // A capacity payment differs by two per cent either way, energy by a quarter: 102/98 and 125/75.
    expect(spread('CAPACITY_PAYMENT')).toBeLessThanOrEqual(1.0409);
    expect(spread('ENERGY_CHARGE')).toBeLessThanOrEqual(1.6667);
    expect(spread('ENERGY_CHARGE')).toBeGreaterThan(1.0409);
  });

  it('moves each figure by at most one per cent with an adjustment', () => {
    const [before, after] = [values(statementOf(order())), values(statementOf(order('ADJ1')))];
    const moved = after.map((value, index) => Math.abs(Number(value) / Number(before[index]) - 1));
    expect(Math.max(...moved)).toBeLessThanOrEqual(0.010_001);
  });

  it('carries the control figure once each way, with all 23 digits on the wire', () => {
    const controlFigure = '123456789012345.12345678';
    const text = SettlementStatementSummary.serialise(
      statementOf({ ...order(), run: { ...order().run, controlFigure } }),
    );
    expect(text.match(/"value":123456789012345\.12345678\}/g)).toHaveLength(2);
  });
});
