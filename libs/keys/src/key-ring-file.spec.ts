import { createLogger, Metrics } from '@ssb/platform';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContentAuthenticator } from './content-authenticator.js';
import { formatKeyRing, KeyRing } from './domain/key-ring.js';
import { observeKeys } from './key-metrics.js';
import { KeyRingFile } from './key-ring-file.js';

const keyOf = (version: number) => ({
  version,
  activeFrom: new Date(version),
  secret: String(version).repeat(32),
});
const ringOf = (...versions: number[]): KeyRing => new KeyRing(versions.map(keyOf));

let folder: string;
let path: string;
let lines: string[];
let file: KeyRingFile;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'key-ring-spec-'));
  path = join(folder, 'keys');
  lines = [];
  writeFileSync(path, formatKeyRing(ringOf(1)));
  file = await open();
});
afterEach(async () => {
  await file.close();
  rmSync(folder, { recursive: true });
});

function open(): Promise<KeyRingFile> {
  const log = createLogger({
    name: 'spec',
    level: 'info',
    format: 'json',
    stream: { write: (line) => void lines.push(line) },
  });
  return KeyRingFile.open({ path, intervalMs: 3_600_000, log });
}

const codeOf = (ring: KeyRing): string =>
  new ContentAuthenticator({ current: () => ring, refresh: () => Promise.resolve() }, 'spec').authenticate(
    '',
    '',
  );

it('is read once for all values with a version that is not known yet', async () => {
  const authenticator = new ContentAuthenticator(file, 'spec');
  writeFileSync(path, formatKeyRing(ringOf(1, 2)));
  const code = codeOf(ringOf(2));
  const verdicts = await Promise.all(Array.from({ length: 3 }, () => authenticator.verify('', '', code)));
  expect(verdicts).toEqual(Array(3).fill({ ok: true, outdated: false }));
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['keys reloaded']);
});

it('is read at most once a second, although another client writes unknown versions', async () => {
  const realNow = performance.now.bind(performance);
  try {
    performance.now = () => 10_000;
    await file.refresh();
    writeFileSync(path, formatKeyRing(ringOf(1, 2)));
    performance.now = () => 10_999;
    await file.refresh();
    expect(file.current()).toEqual(ringOf(1));
    performance.now = () => 11_000;
    await file.refresh();
    expect(file.current()).toEqual(ringOf(1, 2));
  } finally {
    performance.now = realNow;
  }
});

it('shows its newest version and its reloads in the metrics', async () => {
  const metrics = new Metrics();
  observeKeys(metrics, { integrity: file, 'gateway-password': undefined });
  const read = async (): Promise<string[]> =>
    (await metrics.registry.metrics()).match(/^settlement_bridge_keys_.* [1-9]$/gm) ?? [];
  expect(await read()).toEqual(['settlement_bridge_keys_newest_version{file="integrity"} 1']);
  const now = performance.now.bind(performance);
  try {
    writeFileSync(path, formatKeyRing(ringOf(1, 2)));
    await file.refresh();
    writeFileSync(path, 'short');
    performance.now = () => now() + 1_000;
    await file.refresh();
  } finally {
    performance.now = now;
  }
  expect(await read()).toEqual([
    'settlement_bridge_keys_reloads_total{file="integrity",outcome="applied"} 1',
    'settlement_bridge_keys_reloads_total{file="integrity",outcome="refused"} 1',
    'settlement_bridge_keys_newest_version{file="integrity"} 2',
  ]);
});

it('keeps the previous keys when it becomes unusable, and logs nothing of the content', async () => {
  writeFileSync(path, '{"keys": "hidden-secret');
  await file.refresh();
  expect(file.current()).toEqual(ringOf(1));
  expect(lines.join()).toContain('keys reload failed');
  expect(lines.join()).not.toContain('hidden');
  await expect(open()).rejects.toThrow(path);
  await expect(open()).rejects.not.toThrow('hidden');
});
