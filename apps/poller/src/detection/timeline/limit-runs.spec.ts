import { limitRuns } from './limit-runs.js';
import { day, RUN, time } from '../../../test/support/settlement.js';
import type { SettlementRun } from '../settlement/runs.js';

const WINDOW = { from: day('2026-03-01'), to: day('2026-03-31') };
const runOn = (date: string, week = 1): SettlementRun => ({
  ...RUN,
  periodFrom: time(`2026-01-0${week}T00:00:00`),
  invoiceDate: time(`${date}T00:00:00`),
});
const RUNS = ['2026-03-02', '2026-03-09', '2026-03-12', '2026-03-20'].map((date) => runOn(date));

it('keeps the runs nearest to today, and the days between those that were left out', () => {
  expect(limitRuns(RUNS.toReversed(), WINDOW, day('2026-03-10'), 4)).toEqual({
    runs: RUNS,
    window: WINDOW,
    leftOut: [],
  });
  expect(limitRuns(RUNS.toReversed(), WINDOW, day('2026-03-10'), 2)).toEqual({
    runs: RUNS.slice(1, 3),
    window: { from: '2026-03-03', to: '2026-03-19' },
    leftOut: [
      { what: 'runs of the timeline', count: 2, kept: 2, range: 'invoice days 2026-03-09 to 2026-03-12' },
    ],
  });
});

it('keeps some of the runs of one day, of which none is added or removed then', () => {
  const runs = [3, 1, 2].map((week) => runOn('2026-03-13', week));
  const { runs: kept, window } = limitRuns(runs, WINDOW, day('2026-03-10'), 2);
  expect(kept).toEqual([runs[1], runs[2]]);
  expect(window).toEqual({ from: '2026-03-01', to: '2026-03-12' });
});
