import { operatorPath } from '@ssb/market/admin';
import { PassThrough } from 'node:stream';
import { startOperatorApi, type TestOperatorApi } from './support/operator-api.js';
import {
  type ProcessReplacements,
  type RunningSimulator,
  runSimulator,
} from './support/running-simulator.js';

let operator: TestOperatorApi;
let running: RunningSimulator[];

beforeEach(async () => {
  running = [];
  operator = await startOperatorApi();
});

afterEach(async () => {
  await Promise.allSettled(running.map(({ app }) => app.close()));
  await operator.close();
});

async function run(
  settings: Record<string, string>,
  replacements?: ProcessReplacements,
): Promise<RunningSimulator> {
  const environment = { OPERATOR_URL: operator.url, TOKEN_URL: operator.url, SCENARIO: 'history' };
  const simulator = await runSimulator({ ...environment, FROM: '2026-03-01', ...settings }, replacements);
  running.push(simulator);
  return simulator;
}

const THREE_DAYS = { UNTIL: '2026-03-03', PARTICIPANTS: 'WPGENCO,SOLARCO', SPEED: 'max' };

describe('history', () => {
  it('is loaded in bulk, summarised, and exists already the second time', async () => {
    const first = await (await run(THREE_DAYS)).untilStep('summary');
    const loaded = operator.records.map(({ path, body }) => `${path} ${body}`);
    expect(first).toMatchObject({ loaded: loaded.length, alreadyThere: 0 });
    expect(first.published?.reduce((total, { records }) => total + records, 0)).toBe(loaded.length);
    expect(first.published).toContainEqual({
      kind: 'prudential-details',
      participant: 'SOLARCO',
      records: 3,
    });
    const second = await (await run(THREE_DAYS)).untilStep('summary');
    expect(second).toMatchObject({ loaded: 0, alreadyThere: loaded.length });
  });

  it('runs one step per line of input, and ends with the input', async () => {
    const stepInput = new PassThrough();
    const simulator = await run({ STEP: 'true' }, { stepInput });
    stepInput.write('\n');
    await operator.untilLoaded(1);
    expect(operator.records.map(({ path }) => path)).toEqual([operatorPath('timelines')]);
    stepInput.write('\n');
    await operator.untilLoaded(2);
    stepInput.end();
    await simulator.untilStep('summary');
    expect(operator.records.map(({ path }) => path)).toEqual([
      operatorPath('timelines'),
      operatorPath('prudential'),
    ]);
  });

  it('exits with AT_END=exit', async () => {
    await new Promise<void>((exit) => {
      void run({ UNTIL: '2026-03-01', SPEED: 'max', AT_END: 'exit' }, { exit });
    });
  });
});

describe('settings that do not fit the scenario', () => {
  it.each([
    [{ SCENARIO: 'everyday', FROM: '', SPEED: 'max' }, 'needs FROM'],
    [{ SPEED: 'max', STEP: 'true' }, 'choose one'],
    [{ UNTIL: '2026-02-01' }, 'is before'],
    [{ FROM: '', UNTIL: '2026-02-01' }, 'UNTIL needs FROM'],
    [{ SCENARIO: 'demo', UNTIL: '2026-04-01' }, 'an end of its own'],
  ])('%j are refused', async (settings, message) => {
    await expect(run(settings)).rejects.toThrow(message);
  });
});
