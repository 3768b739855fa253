import { addDays, dateOf, type PrudentialCalculation } from '@ssb/market';
import fc from 'fast-check';
import { PARTICIPANT, row, settingsWith } from '../../test/support/positions.js';
import { day } from '../../test/support/settlement.js';
import { BackfillDetections, type BackfillDetectionsDependencies } from './backfill-detections.js';
import { listCalculationSteps } from './backfill-steps.js';

const HOUR_MS = 3_600_000;
const settings = settingsWith({ margin: { minDurationMs: HOUR_MS } });
const before = (): Promise<void> => Promise.resolve();

/** The operator serves these calculations. */
function detectionsOf(rows: readonly PrudentialCalculation[], unreadable: readonly string[] = []) {
  const served = (from: string, to: string): readonly PrudentialCalculation[] =>
    rows.filter(({ tradingDay }) => dateOf(tradingDay!) >= from && dateOf(tradingDay!) <= to);
  const market = {
    prudential: {
      prudentialRange: (from: string, to: string) => {
        const value = served(from, to);
        return Promise.resolve({ value, unreadable: [], indexes: value.map((_, index) => index) });
      },
    },
    settlement: {
      timeline: () =>
        Promise.resolve({
          value: { cycles: [] },
          unreadable: unreadable.map((path) => ({ path, issues: [] })),
          indexes: [],
        }),
    },
  } as unknown as BackfillDetectionsDependencies['market'];
  const largeStatements = { fit: () => Promise.reject(new Error('not used')) };
  return new BackfillDetections({
    participant: PARTICIPANT,
    settings: () => settings,
    now: () => new Date(),
    market,
    largeStatements,
  });
}

async function factsOf(rows: readonly PrudentialCalculation[], from: string, to: string) {
  const steps = listCalculationSteps({ from, to });
  const results = [];
  for (const step of steps) results.push(await detectionsOf(rows).run(step, before));
  return results.flatMap(({ facts }) => facts);
}

const margins = async (...args: Parameters<typeof factsOf>) =>
  (await factsOf(...args)).filter(({ type }) => type.startsWith('settlementbus.margin.'));

it('a breach that ends within the minimum duration after the range is none', async () => {
  const rows = [
    row('2026-01-31T23:45:00', '-1', { tradingDay: '2026-01-31' }),
    row('2026-02-01T00:05:00', '300000', { tradingDay: '2026-02-01' }),
  ];
  expect(await margins(rows, '2026-01-01', '2026-01-31')).toEqual([]);
  expect(await margins(rows, '2026-01-01', '2026-02-28')).toEqual([]);
});

it('a range in parts has what the whole range has', async () => {
  const calculations = fc
    .array(
      fc.record({
        hours: fc.integer({ min: 0, max: 12 * 24 }),
        margin: fc.constantFrom('-1', '150000', '300000'),
      }),
      {
        maxLength: 30,
      },
    )
    .map((list) =>
      list.map(({ hours, margin }) => {
        const tradingDay = addDays(day('2026-01-26'), Math.floor(hours / 24));
        const time = `${String(hours % 24).padStart(2, '0')}:30:00`;
        return row(`${tradingDay}T${time}`, margin, { tradingDay });
      }),
    );
  await fc.assert(
    fc.asyncProperty(calculations, async (rows) => {
      const whole = await factsOf(rows, '2026-01-20', '2026-02-10');
      const parts = [
        ...(await factsOf(rows, '2026-01-20', '2026-01-31')),
        ...(await factsOf(rows, '2026-02-01', '2026-02-10')),
      ];
      const sorted = (facts: typeof whole) => facts.map((fact) => JSON.stringify(fact)).sort();
      expect(sorted(parts)).toEqual(sorted(whole));
    }),
    { numRuns: 20 },
  );
});

it('calculations outside the range are not failures of the backfill', async () => {
  const rows = ['2026-01-30', '2026-01-31', '2026-02-01'].map((tradingDay) =>
    row(`${tradingDay}T09:00:00`, { outstandingAmount: '1' }, { tradingDay }),
  );
  const step = { kind: 'calculations', from: day('2026-01-31'), to: day('2026-01-31') } as const;
  const { unreadable } = await detectionsOf(rows).run(step, before);
  expect(unreadable.map(({ path }) => path)).toEqual(['data[1].tradingMargin']);
});

it('reports cycles that cannot be read', async () => {
  const read = await detectionsOf([], ['data.cycles[3]']).runs(day('2026-01-01'), day('2026-01-31'), before);
  expect(read?.unreadable.map(({ path }) => path)).toEqual(['data.cycles[3]']);
});
