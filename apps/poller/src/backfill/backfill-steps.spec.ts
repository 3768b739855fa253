import type { SettlementRun } from '../detection/settlement/runs.js';
import { listCalculationSteps, listRunSteps, stepName } from './backfill-steps.js';

const run = (changes: Partial<Record<keyof SettlementRun, string>>): SettlementRun =>
  ({
    marketService: 'WEM',
    period: 'TW',
    periodFrom: '2026-01-04T00:00:00',
    periodTo: '2026-01-10T00:00:00',
    designation: 'INITIAL',
    statementDate: '2026-01-20T00:00:00',
    invoiceDate: '2026-02-02T00:00:00',
    settlementDate: '2026-02-09T00:00:00',
    ...changes,
  }) as SettlementRun;
const ALL = { overdueGraceMs: 0, estimations: true, markets: ['WEM', 'NSTEM', 'STEM'] } as const;
const names = (...args: Parameters<typeof listRunSteps>): string[] =>
  [...listCalculationSteps(args[0]), ...listRunSteps(...args)].map(stepName);

it('a range is divided into months of calculations, then come the runs of its days', () => {
  expect(names({ from: '2026-01-01', to: '2026-02-15' }, [run({})], ALL)).toEqual([
    '1 calculations 2026-01-01',
    '1 calculations 2026-02-01',
    '2 WEM|2026-01-04|INITIAL 1 statement',
    '2 WEM|2026-01-04|INITIAL 2 invoice',
  ]);
  const [first, last] = listCalculationSteps({ from: '2026-01-01', to: '2026-02-15' });
  expect([first, last]).toMatchObject([{ to: '2026-01-31' }, { to: '2026-02-15' }]);
});

it('a publication belongs to the range by its own day, and to the markets of the participant', () => {
  const range = { from: '2026-01-20', to: '2026-01-31' };
  const runs = [run({}), run({ marketService: 'STEM' })];
  expect(names(range, runs, { ...ALL, markets: ['WEM'] })).toEqual([
    '1 calculations 2026-01-20',
    '2 WEM|2026-01-04|INITIAL 1 statement',
  ]);
});

it('estimations of NSTEM are part of it when they are on', () => {
  const monthly = run({
    marketService: 'NSTEM',
    periodFrom: '2026-01-30T00:00:00',
    periodTo: '2026-02-01T00:00:00',
    statementDate: '2026-03-01T00:00:00',
    invoiceDate: '2026-03-02T00:00:00',
  });
  const range = { from: '2026-01-31', to: '2026-02-10' };
  expect(names(range, [monthly], ALL).slice(1)).toEqual([
    '2 NSTEM|2026-01-30|INITIAL 0 estimation 2026-01-31',
    '2 NSTEM|2026-01-30|INITIAL 0 estimation 2026-02-01',
  ]);
  expect(names(range, [monthly], { ...ALL, estimations: false }).slice(1)).toEqual([]);
});

it('the order of the names is the order of the steps, so that a name says what is done', () => {
  const steps = names({ from: '2025-12-01', to: '2026-12-31' }, [run({ designation: 'ADJ1' }), run({})], ALL);
  expect(steps).toEqual([...steps].sort());
  expect(new Set(steps).size).toBe(steps.length);
});
