import { createLogger, Metrics } from '@ssb/platform';
import { waitFor } from '@ssb/testing/in-process';
import { DiscardedState } from './discarded-state.js';
import type { Fault } from '@ssb/faults';

const log = createLogger({ name: 'spec', level: 'silent', format: 'json' });
const values = (count: number) =>
  Array.from({ length: count }, () => ({ field: 'f', reason: 'missing' as const }));

let raised: Fault[];

beforeEach(() => {
  raised = [];
});

function open(minReportIntervalMs?: number): DiscardedState {
  const faults = { raise: (fault: Fault) => void raised.push(fault) };
  return new DiscardedState(new Metrics(), log, () => faults, minReportIntervalMs);
}

it('reports the first values at once and later ones together, although no further ones follow', async () => {
  const state = open(20);
  for (const count of [1, 500, 3]) state.report('poller-state', 'ALPHA', values(count));
  state.report('operational-alerts', '*', values(2));
  expect(raised).toMatchObject([
    { participant: 'ALPHA', detail: expect.stringContaining('1 (missing 1)') },
    { participant: '*', detail: expect.stringContaining('2 (missing 2)') },
  ]);
  await waitFor('the others', () => raised.length === 3);
  expect(raised[2]).toMatchObject({
    participant: 'ALPHA',
    detail: expect.stringContaining('503 (missing 503)'),
  });
  state.stop();
});

it('reports the others when it stops, and nothing later', () => {
  const state = open();
  for (const count of [1, 500]) state.report('poller-state', 'ALPHA', values(count));
  expect(raised).toHaveLength(1);
  state.stop();
  state.report('poller-state', 'ALPHA', values(1));
  expect(raised.map(({ detail }) => detail)).toEqual([
    expect.stringContaining('1 (missing 1)'),
    expect.stringContaining('500 (missing 500)'),
  ]);
});
