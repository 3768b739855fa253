import type { AlertReport, AlertTopic } from '@ssb/events';
import {
  addOccurrence,
  clearFault,
  decideReport,
  recordReport,
  SUMMARY_INTERVAL_MS,
  type FaultState,
} from './fault-state.js';

const CLEARS: AlertTopic = { app: 'poller', reason: 'token-refused', participant: 'ALPHA' };
const STAYS: AlertTopic = { app: 'bus-publisher', reason: 'dead-letter', participant: 'ALPHA' };
const START = new Date('2026-03-02T00:00:00.000Z');
const after = (ms: number): Date => new Date(START.getTime() + ms);

function reported(state: FaultState, at: Date): FaultState {
  const report = decideReport(state, at) as AlertReport;
  return recordReport(state, report, at);
}

it('reports the first occurrence at once', () => {
  expect(decideReport(addOccurrence(undefined, STAYS, START, 'no route'), START)).toEqual({
    ...STAYS,
    since: START,
    count: 1,
    detail: 'no route',
    sequence: START.getTime(),
  });
});

it('reports further occurrences together, after the summary interval', () => {
  let state = reported(addOccurrence(undefined, STAYS, START, 'first'), START);
  for (let n = 1; n <= 3; n += 1) state = addOccurrence(state, STAYS, after(n), `occurrence ${n}`);
  expect(decideReport(state, after(SUMMARY_INTERVAL_MS - 1))).toBeUndefined();
  expect(decideReport(state, after(SUMMARY_INTERVAL_MS))).toMatchObject({
    since: START,
    count: 4,
    detail: 'occurrence 3',
  });
});

it('reports nothing without a further occurrence', () => {
  const state = reported(addOccurrence(undefined, CLEARS, START), START);
  expect(decideReport(state, after(10 * SUMMARY_INTERVAL_MS))).toBeUndefined();
});

it('begins a new fault after a summary interval without an occurrence, when the reason does not clear', () => {
  const quiet = after(SUMMARY_INTERVAL_MS);
  const state = addOccurrence(reported(addOccurrence(undefined, STAYS, START), START), STAYS, quiet);
  expect(decideReport(state, quiet)).toMatchObject({ since: quiet, count: 1 });
});

it('continues a fault that was not cleared, however long it lasts', () => {
  const later = after(10 * SUMMARY_INTERVAL_MS);
  const state = addOccurrence(reported(addOccurrence(undefined, CLEARS, START), START), CLEARS, later);
  expect(decideReport(state, later)).toMatchObject({ since: START, count: 2 });
});

it('clears a reported fault, and is silent about one that was never reported', () => {
  const state = addOccurrence(undefined, CLEARS, START);
  expect(clearFault(state, START)).toBeUndefined();
  expect(clearFault(reported(state, START), after(5))).toEqual({
    ...CLEARS,
    since: START,
    count: 1,
    sequence: after(5).getTime(),
  });
});

it('gives growing sequences when the clock is set back', () => {
  const state = reported(addOccurrence(undefined, CLEARS, START), START);
  expect(clearFault(state, after(-60_000))?.sequence).toBe(START.getTime() + 1);
});
