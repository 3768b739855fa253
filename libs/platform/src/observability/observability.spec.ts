import { Module } from '@nestjs/common';
import { buildApp, type BuiltApp } from '../lifecycle/build-app.js';
import { createLogger } from '../logging/logger.js';
import { commonSettings } from '../settings/common.js';
import { readSettings } from '../settings/settings.js';
import { BoundedLabel, secondsSince } from './metric-definitions.js';
import { Liveness } from './liveness.js';
import { Metrics } from './metrics.js';
import { observeDataFolder } from './observe-data-folder.js';
import { ScrapeReading } from './scrape-reading.js';
import { VERSION } from '../version.js';
import { Readiness } from './readiness.js';

const lines: Record<string, unknown>[] = [];
const log = createLogger({
  name: 'sample',
  level: 'info',
  format: 'json',
  stream: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
});

let stuck = false;
let app: BuiltApp;
let url: string;

@Module({})
class Sample {
  constructor(readiness: Readiness, liveness: Liveness) {
    readiness.register('database', () => {
      throw new Error('the database is down');
    });
    liveness.register('work', () => {
      if (stuck) throw new Error('no work for 300 s');
    });
  }
}

beforeAll(async () => {
  app = await buildApp(
    {
      name: 'sample',
      definition: commonSettings,
      module: () => ({ module: Sample }),
      http: () => ({ port: 0 }),
    },
    readSettings(commonSettings, {}),
    log,
  );
  ({ managementUrl: url } = await app.listen());
});

afterAll(() => app.close());

const scrape = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
const live = async (): Promise<unknown> => {
  const response = await fetch(`${url}/health/live`);
  return [response.status, await response.json()];
};

it('shows version and checks in the metrics', async () => {
  const text = await scrape();
  expect(text).toContain(
    `settlement_bridge_app_info{app="sample",version="${VERSION}",node="${process.version}"} 1`,
  );
  expect(text).toContain('settlement_bridge_readiness_check_up{check="database"} 0');
  expect(text).toContain('settlement_bridge_liveness_check_up{check="work"} 1');
});

it('is live without progress of others, and not live without its own; each change is one line', async () => {
  expect(await live()).toEqual([200, { status: 'ok', checks: { work: { status: 'up' } } }]);
  stuck = true;
  const message = 'no work for 300 s';
  expect(await live()).toEqual([503, { status: 'error', checks: { work: { status: 'down', message } } }]);
  expect(await scrape()).toContain('settlement_bridge_liveness_check_up{check="work"} 0');
  stuck = false;
  expect(await live()).toMatchObject([200, { status: 'ok' }]);
  const changes = lines.filter(({ msg }) => String(msg).startsWith('liveness'));
  expect(changes).toMatchObject([
    { msg: 'liveness lost', what: 'work', reason: message },
    { msg: 'liveness restored', what: 'work' },
  ]);
});

it('keeps the first values of a label that clients choose', () => {
  const label = new BoundedLabel(2);
  expect(['a', 'b', 'c', 'a', 'd'].map((value) => label.fold(value))).toEqual([
    'a',
    'b',
    'other',
    'a',
    'other',
  ]);
});

it('shows no latency since a time that is unreadable or in the future', () => {
  expect([secondsSince(NaN), secondsSince(Date.now() + 60_000)]).toEqual([0, 0]);
  expect(secondsSince(Date.now() - 60_000)).toBeCloseTo(60, 0);
});

it('reads once for all gauges of a scrape, and uses the value again until it is old', async () => {
  let reads = 0;
  const read = (): Promise<number> => new Promise((resolve) => setImmediate(() => resolve((reads += 1))));
  const what = 'sample';
  const kept = new ScrapeReading(read, { what, log, maxAgeMs: 60_000 });
  const fresh = new ScrapeReading(read, { what, log });
  expect(await Promise.all([kept.get(), kept.get()])).toEqual([1, 1]);
  expect(await kept.get()).toBe(1);
  expect(await Promise.all([fresh.get(), fresh.get()])).toEqual([2, 2]);
  expect(await fresh.get()).toBe(3);
});

it('has no value after a failed reading, and logs the first of several failures', async () => {
  let isDown = true;
  const read = (): Promise<number> =>
    isDown ? Promise.reject(new Error('unavailable')) : Promise.resolve(1);
  const reading = new ScrapeReading(read, { what: 'outbox', log });
  const failures = () => lines.filter(({ msg }) => msg === 'metrics reading failed');
  expect(await Promise.all([reading.get(), reading.get()])).toEqual([undefined, undefined]);
  expect(await reading.get()).toBeUndefined();
  expect(failures()).toMatchObject([{ what: 'outbox', err: { message: 'unavailable' } }]);
  isDown = false;
  expect(await reading.get()).toBe(1);
  isDown = true;
  await reading.get();
  expect(failures()).toHaveLength(2);
});

it('shows the space of a data folder, and nothing of a missing one', async () => {
  const metrics = new Metrics();
  const before = lines.length;
  observeDataFolder(metrics, '.', log);
  const text = await metrics.registry.metrics();
  const [free = 0, size = 0] = ['free', 'size'].map((name) =>
    Number(new RegExp(`^settlement_bridge_data_folder_${name}_bytes (\\S+)$`, 'm').exec(text)?.[1]),
  );
  expect(free).toBeGreaterThan(0);
  expect(size).toBeGreaterThanOrEqual(free);
  const without = new Metrics();
  observeDataFolder(without, './missing', log);
  expect(await without.registry.metrics()).not.toMatch(/^data_folder/m);
  expect(lines.slice(before)).toEqual([]);
});

it('begins a counter with 0 for every combination of listed label values', async () => {
  const metrics = new Metrics();
  const definition = { type: 'counter', help: 'Sample.' } as const;
  const outcome = ['applied', 'refused'];
  metrics.counter({ ...definition, name: 'closed_total', labels: { file: ['a', 'b'], outcome } });
  metrics.counter({ ...definition, name: 'open_total', labels: { sink: 'of a file', outcome } });
  const values = Array.from({ length: 65 }, (_, index) => `${index}`);
  metrics.counter({ ...definition, name: 'large_total', labels: { value: values } });
  const text = await metrics.registry.metrics();
  expect(text.split('\n').filter((line) => /^(closed|open|large)_total/.test(line))).toEqual([
    'closed_total{file="a",outcome="applied"} 0',
    'closed_total{file="a",outcome="refused"} 0',
    'closed_total{file="b",outcome="applied"} 0',
    'closed_total{file="b",outcome="refused"} 0',
  ]);
});
