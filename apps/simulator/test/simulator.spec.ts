import { toMarketDate } from '@ssb/market';
import { operatorPath } from '@ssb/market/admin';
import { waitFor } from '@ssb/testing';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOperatorApi, type TestOperatorApi } from './support/operator-api.js';
import { type RunningSimulator, runSimulator } from './support/running-simulator.js';

let operator: TestOperatorApi;
let folder: string;
let running: RunningSimulator[];

beforeEach(async () => {
  running = [];
  operator = await startOperatorApi();
  folder = await mkdtemp(join(tmpdir(), 'simulator-'));
});

afterEach(async () => {
  await Promise.allSettled(running.map((simulator) => simulator.app.close()));
  await operator.close();
  await rm(folder, { recursive: true, force: true });
});

async function run(settings: Record<string, string>): Promise<RunningSimulator> {
  const simulator = await runSimulator({
    OPERATOR_URL: operator.url,
    TOKEN_URL: operator.url,
    STATE_FILE: join(folder, 'progress.json'),
    ...settings,
  });
  running.push(simulator);
  return simulator;
}

describe('the demo', () => {
  it('publishes its steps in order and finishes, and retries while services are unavailable or do not know its account', async () => {
    operator.failures.push(503, 401);
    const simulator = await run({ SCENARIO: 'demo', SPEED: '1000' });
    await simulator.untilStep('finished');
    await simulator.app.close();
    const published = simulator.lines.filter(({ step }) => step === 'published');
    expect(published.map(({ kind }) => kind).join(' ')).toBe(
      'timeline margin statement statement invoice margin margin margin',
    );
    expect(new Set(published.map(({ msg }) => msg))).toEqual(new Set(['records published']));
    for (const { publishedAt } of published) expect(publishedAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const margins = operator.records.filter(({ path }) => path === operatorPath('prudential'));
    expect(margins.map(({ body }) => /"tradingMargin":([-\d.]+)/.exec(body)?.[1])).toEqual([
      '900000.00',
      '180000.00',
      '-60000.00',
      '850000.00',
    ]);
    const times = margins.map(({ body }) => /"calculatedAt":"([^"]+)"/.exec(body)?.[1]);
    expect(new Set(times).size).toBe(4);
    expect(operator.records.map(({ body }) => body).join()).toContain('"value":123456789012345.12345678}');
    expect(operator.records).toHaveLength(8);
    const reasons = simulator.lines.flatMap(({ level, reason }) => (level === 'warn' ? [reason] : []));
    expect(reasons.slice(0, 2)).toEqual([
      expect.stringContaining('TokenUnavailableError'),
      expect.stringContaining('TokenRefusedError'),
    ]);
  });

  it('stops at once during a step', async () => {
    const simulator = await run({ SCENARIO: 'demo', SPEED: '0.01' });
    await operator.untilLoaded(2);
    // A step takes 200 seconds at this speed.
    await simulator.app.close();
    expect(simulator.lines.at(-1)).toMatchObject({ step: 'summary' });
  });
});

describe('everyday', () => {
  const settlement = () =>
    operator.records.filter(({ path }) => path !== operatorPath('prudential')).map(({ body }) => body);

  interface SavedProgress {
    readonly positions: number;
    readonly publications: number;
    readonly settling?: object;
  }
  const readProgress = async (): Promise<SavedProgress> =>
    JSON.parse(await readFile(join(folder, 'progress.json'), 'utf8')) as SavedProgress;
  const untilPositions = (count: number): Promise<unknown> =>
    waitFor(`${count} positions`, async () => (await readProgress()).positions >= count);

  it('listens when its past is loaded, and resumes its progress', async () => {
    const first = await run({ SPEED: '1000' });
    expect((await readProgress()).publications).toBeGreaterThan(60);
    const timelines = (): string[] =>
      operator.records.filter(({ path }) => path === operatorPath('timelines')).map(({ body }) => body);
    expect(timelines()).toHaveLength(1);
    await untilPositions(1);
    await first.app.close();
    const before = settlement();
    const { positions, settling } = await readProgress();

    await run({ SPEED: '1000' });
    await untilPositions(positions + 1);
    const after = settlement().slice(before.length);
    expect(new Set(timelines()).size).toBe(1);
    const publishedTwice = after.filter((body) => before.includes(body) && body !== timelines()[0]);
    // Only the publication that was in flight at the stop is published again, byte for byte.
    const again = settling === undefined ? 0 : publishedTwice.length;
    expect(publishedTwice).toEqual(again === 0 ? [] : before.slice(-again));
  });

  it('waits with listening for a market that is unavailable', async () => {
    operator.failures.push(503, 503, 503);
    await run({});
    expect(operator.failures).toEqual([]);
    expect((await readProgress()).publications).toBeGreaterThan(60);
  });

  it('continues if its rules make less due than the progress has counted', async () => {
    const anchor = toMarketDate(new Date());
    const saved = { seed: 'everyday', anchor, shift: 0, positions: 0, publications: 1_000_000 };
    await writeFile(join(folder, 'progress.json'), JSON.stringify(saved));
    const simulator = await run({ SPEED: '1000' });
    await untilPositions(1);
    await simulator.app.close();
    expect((await readProgress()).publications).toBeLessThan(1_000);
  });
});
