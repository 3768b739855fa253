import { PassThrough } from 'node:stream';
import { OPERATOR_PATHS } from '@ssb/market';
import { startOperatorSide, type OperatorSide } from './testing/operator-side.js';
import { runSimulator, type Outside, type RunningSimulator } from './testing/running-simulator.js';

let operator: OperatorSide;
let running: RunningSimulator[];

beforeEach(async () => {
  running = [];
  operator = await startOperatorSide();
});

afterEach(async () => {
  await Promise.allSettled(running.map(({ app }) => app.close()));
  await operator.close();
});

async function play(more: Record<string, string>, outside?: Outside): Promise<RunningSimulator> {
  const environment = { OPERATOR_URL: operator.url, TOKEN_URL: operator.url, SCENARIO: 'history' };
  const simulator = await runSimulator({ ...environment, FROM: '2026-03-01', ...more }, outside);
  running.push(simulator);
  return simulator;
}

/** Three weeks and what comes out in them: the whole of it is compared, not counted. */
const THREE_WEEKS = { UNTIL: '2026-03-21', PARTICIPANTS: 'WPGENCO,SOLARCO' };

describe('history', () => {
  it('comes in bulk, is summed up, and is there already the second time', async () => {
    const first = await (await play({ ...THREE_WEEKS, SPEED: 'max' })).untilStep('summary');
    const taken = operator.taken.map(({ path, body }) => `${path} ${body}`);
    expect(first).toMatchObject({ loaded: taken.length, alreadyThere: 0 });
    expect(first.published?.reduce((total, { records }) => total + records, 0)).toBe(taken.length);
    expect(first.published).toContainEqual({
      kind: 'prudential-details',
      participant: 'SOLARCO',
      records: 21,
    });
    const second = await (await play({ ...THREE_WEEKS, SPEED: 'max' })).untilStep('summary');
    expect(second).toMatchObject({ loaded: 0, alreadyThere: taken.length });
  });

  it('is the same whether it is loaded in bulk or played on a fast clock', async () => {
    await (await play({ UNTIL: '2026-03-06', SPEED: 'max' })).untilStep('summary');
    const inBulk = operator.taken.splice(0).map(({ path, body }) => `${path} ${body}`);
    await (await play({ UNTIL: '2026-03-06', SPEED: '1000000' })).untilStep('summary');
    expect(operator.taken.map(({ path, body }) => `${path} ${body}`)).toEqual(inBulk);
  });

  it('goes on step by step, and ends when no more steps come', async () => {
    const stepInput = new PassThrough();
    const simulator = await play({ STEP: 'true' }, { stepInput });
    stepInput.write('\n');
    await operator.untilTaken(1);
    expect(operator.taken.map(({ path }) => path)).toEqual([OPERATOR_PATHS.timelines]);
    stepInput.write('\n');
    await operator.untilTaken(2);
    stepInput.end();
    await simulator.untilStep('summary');
    expect(operator.taken.map(({ path }) => path)).toEqual([
      OPERATOR_PATHS.timelines,
      OPERATOR_PATHS.prudential,
    ]);
  });

  it('leaves when it has ended, if it is told to', async () => {
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    await play({ UNTIL: '2026-03-01', SPEED: 'max', AT_END: 'exit' }, { leave });
    await left;
  });

  it('is summed up when it is interrupted', async () => {
    const simulator = await play({ SPEED: '1' });
    await simulator.app.close();
    expect(simulator.lines.at(-1)).toMatchObject({ step: 'summary' });
  });
});

describe('settings that contradict the scenario', () => {
  it.each([
    [{ SCENARIO: 'everyday', FROM: '', SPEED: 'max' }, 'needs FROM'],
    [{ SPEED: 'max', STEP: 'true' }, 'choose one'],
    [{ UNTIL: '2026-02-01' }, 'lies before'],
    [{ FROM: '', UNTIL: '2026-02-01' }, 'UNTIL needs FROM'],
    [{ SCENARIO: 'demo', UNTIL: '2026-04-01' }, 'an end of its own'],
  ])('%j are refused', async (settings, sentence) => {
    await expect(play(settings)).rejects.toThrow(sentence);
  });
});
