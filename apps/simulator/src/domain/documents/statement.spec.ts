import {
  parseMarketDate,
  parseMarketDateTime,
  type SettlementStatementSummary,
  type Designation,
} from '@ssb/market';
import { weekFrom } from '../calendar/period.js';
import { buildStatement, type StatementInput } from './statement.js';

const day = parseMarketDate;

const createInput = (
  designation: Designation = 'INITIAL',
  change: Partial<StatementInput> = {},
): StatementInput => ({
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

describe('buildStatement', () => {
  it.each<[string, StatementInput]>([
    ['seed', createInput('INITIAL', { seed: 'other' })],
    ['participant', createInput('INITIAL', { participant: 'OTHER' })],
    ['designation', createInput('ADJ1')],
  ])('has other figures for another %s', (_field, other) => {
    expect(values(buildStatement(other))).not.toEqual(values(buildStatement(createInput())));
  });

  it('changes each figure by at most one per cent with an adjustment', () => {
    const [before, after] = [
      values(buildStatement(createInput())),
      values(buildStatement(createInput('ADJ1'))),
    ];
    const changes = after.map((value, index) => Math.abs(Number(value) / Number(before[index]) - 1));
    expect(Math.max(...changes)).toBeLessThanOrEqual(0.010_001);
  });
});
