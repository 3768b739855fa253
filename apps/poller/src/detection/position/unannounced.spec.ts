import { amount, pollAll, row, settingsWith, summarise } from '../../../test/support/positions.js';
import { applyPolicy } from './calculation-log.js';
import { MAX_TRANSITIONS } from './levels/change.js';
import { MAX_DEEPER_STEPS } from './levels/deepening.js';
import { policyOf } from './levels/thresholds.js';
import { listUnannounced } from './unannounced.js';

it('of a breach that waits, the steps beyond the bound are counted, and the deepest one is announced', () => {
  const more = 5;
  const settings = settingsWith({ margin: { minDurationMs: 1_800_000, deepeningStep: amount('1') } });
  const rows = Array.from({ length: 1 + MAX_DEEPER_STEPS + more }, (_, step) => {
    const at = new Date(Date.UTC(2026, 2, 2, 10) + step * 1_000).toISOString();
    return row(at.slice(0, 19), String(-step));
  });
  const later = [...rows, row('11:00:00', '300000')];
  const afterDays = (time: string) => ({
    rows: [row(`2026-03-07T${time}`, '300000', { tradingDay: '2026-03-07' })],
    now: '2026-03-07T12:00:00',
    firstDay: '2026-03-06',
  });
  const results = pollAll([
    { rows, settings, now: '10:20:00' },
    { rows, settings, now: '10:50:00' },
    { rows, settings, now: '10:51:00' },
    { rows: later, settings, now: '11:01:00' },
    { ...afterDays('10:00:00'), settings },
    { ...afterDays('11:00:00'), settings },
  ]);
  const range = 'the deepest one is announced';
  const reported = [{ what: 'deeper steps of a breach', count: more, kept: MAX_DEEPER_STEPS, range }];
  // Until the calculations are part of the base.
  expect(results.map(({ leftOut }) => leftOut)).toEqual([...Array(5).fill(reported), []]);
  const breaches = summarise(results[1]?.facts ?? []);
  expect(breaches).toHaveLength(1 + MAX_DEEPER_STEPS);
  expect(breaches.at(-1)).toBe(`margin.breached 10:01:45 -${MAX_DEEPER_STEPS + more} deepened/0`);
  // Of a response that has all of it, too.
  expect(pollAll([{ rows: later, settings, now: '11:01:00' }])[0]?.leftOut).toEqual(reported);
});

it('a level that has no number left for its changes is counted until a calculation follows', () => {
  const breach = row('10:00:00', '-1');
  const [polled] = pollAll([{ rows: [breach] }]);
  const { announced } = polled!.state;
  const margin = { ...announced.levels.margin!, transition: MAX_TRANSITIONS };
  const state = { ...polled!.state, announced: { ...announced, levels: { margin } } };
  expect(listUnannounced(polled!.state)).toEqual([]);
  const count = { what: 'levels with further changes', count: 1, kept: MAX_TRANSITIONS + 1 };
  const results = pollAll([{ rows: [breach] }, { rows: [breach, row('11:00:00', '-1')] }], state);
  expect(results.map(({ leftOut }) => leftOut)).toMatchObject([[count], []]);
});

it('a calculation before more changes of the thresholds than are kept is counted as late', () => {
  const rows = [row('09:00:00', '300000'), row('10:00:00', '300000')];
  const settingsOf = (breach: number) => settingsWith({ margin: { breach: amount(String(breach)) } });
  /** What a late breach shows after so many changes. */
  const pollAfter = (changes: number) => {
    const [first] = pollAll([{ rows, settings: settingsOf(1) }]);
    let { log } = first!.state;
    for (let change = 1; change <= changes; change += 1)
      log = applyPolicy(log, policyOf(settingsOf(change + 1)), first!.state.decidedAt);
    const poll = { rows, settings: settingsOf(changes + 1) };
    const late = { ...poll, rows: [...rows, row('09:30:00', '-1')] };
    return pollAll([poll, late], { ...first!.state, log })[1];
  };
  expect(pollAfter(201)?.leftOut).toMatchObject([{ what: 'late calculations', count: 1 }]);
  const within = pollAfter(9);
  expect(within?.leftOut).toEqual([]);
  expect(summarise(within?.facts ?? [])).toContain('margin.breached 09:30:00 -1 calculation/0');
});
