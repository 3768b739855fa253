import { OperatorConfigError } from '../load.js';
import { createLogger } from '@ssb/platform';
import { waitFor } from '@ssb/testing/in-process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorConfigFile } from './operator-config-file.js';

const configOf = (code: string): string => `participants:
  - code: ${code}
    margin: { warning: '2.00', breach: '0.00', hysteresis: '0.50' }
routes:
  - { types: ['settlementbus.*'], channel: a.channels.b.apps.c.iam.d }
senders: []
alerts:
  unattended: true
  sinks: [{ name: '\${SINK}', kind: log }]
  rules: [{ types: ['settlementbus.*'], sinks: ['\${SINK}'] }]
`;

let folder: string;
let path: string;
let file: OperatorConfigFile | undefined;
const calls: string[] = [];
/** Logged warnings about the file. */
const warnings: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'operator-config-file-'));
  path = join(folder, 'bridge.yaml');
  writeFileSync(path, configOf('FIRST'));
  calls.length = 0;
  warnings.length = 0;
});
afterEach(async () => {
  await file?.close();
  file = undefined;
  rmSync(folder, { recursive: true });
});

/** Opens the file, and watches it after the observers are set. */
async function open(isWatched = true): Promise<OperatorConfigFile> {
  const stream = { write: (line: string) => void warnings.push(...readWarnings(line)) };
  const log = createLogger({ name: 'test', level: 'warn', format: 'json', stream });
  file = await OperatorConfigFile.open({ path, environment: { SINK: 'log' }, intervalMs: 10, log });
  file.observe({
    onApplied: () => calls.push('applied'),
    onRefused: (error) => calls.push(`refused: ${(error as Error).message.split('\n')[0]}`),
    onRecovered: () => calls.push('recovered'),
  });
  if (isWatched) file.watch();
  return file;
}

function readWarnings(line: string): string[] {
  const { msg, detail } = JSON.parse(line) as { msg: string; detail?: string };
  return msg === 'configuration warning' ? [detail ?? ''] : [];
}

const codeOf = (opened: OperatorConfigFile): string | undefined => opened.current().participants[0]?.code;

it('a changed file is used after the listener has taken it', async () => {
  const opened = await open();
  opened.onChange(({ participants }) => {
    calls.push(`${codeOf(opened)} → ${participants[0]?.code}`);
  });
  writeFileSync(path, configOf('SECOND'));
  await waitFor('the change', () => codeOf(opened) === 'SECOND');
  expect(calls).toEqual(['FIRST → SECOND', 'applied']);
  expect(opened.current().alerts.sinks).toEqual([{ name: 'log', kind: 'log' }]);
});

it('a file with errors is refused, and the previous configuration stays in use until the file is right', async () => {
  const opened = await open();
  writeFileSync(path, configOf('SECOND').replace('breach', 'breech'));
  await waitFor('the refusal', () => calls.length > 0);
  expect(codeOf(opened)).toBe('FIRST');
  expect(calls).toEqual([
    `refused: ${path}:3: participants.0.margin.breech is an unknown key; the nearest known key is breach.`,
  ]);
  writeFileSync(path, configOf('FIRST'));
  await waitFor('the end of the refusal', () => calls.includes('recovered'));
  expect(codeOf(opened)).toBe('FIRST');
});

it('a change before the file is watched is refused or used as any other', async () => {
  const opened = await open(false);
  // Another reader shows when a watched file would have changed.
  const log = createLogger({ name: 'test', level: 'silent', format: 'json' });
  const other = await OperatorConfigFile.open({
    path,
    environment: { SINK: 'log' },
    intervalMs: 10,
    log,
  });
  other.watch();
  for (const code of ['THIRD', 'SECOND']) {
    writeFileSync(path, configOf(code));
    await waitFor('the other reader', () => codeOf(other) === code);
  }
  await other.close();
  expect(codeOf(opened)).toBe('FIRST');
  opened.onChange(({ participants }) => void calls.push(`listener ${participants[0]?.code}`));
  opened.watch();
  await waitFor('the change', () => calls.includes('applied'));
  expect(calls).toEqual(['listener SECOND', 'applied']);
});

it('the previous file is applied again after a listener has failed', async () => {
  const opened = await open();
  opened.onChange(({ participants }) => {
    calls.push(`listener ${participants[0]?.code}`);
    return participants[0]?.code === 'SECOND' ? Promise.reject(new Error('half-way')) : Promise.resolve();
  });
  writeFileSync(path, configOf('SECOND'));
  await waitFor('the refusal', () => calls.includes('refused: half-way'));
  writeFileSync(path, configOf('FIRST'));
  await waitFor('the previous file', () => calls.includes('recovered'));
  expect(calls.slice(calls.indexOf('listener FIRST'))).toEqual(['listener FIRST', 'applied', 'recovered']);
});

it('warnings are logged once the configuration is in use', async () => {
  const opened = await open();
  expect(warnings).not.toEqual([]);
  const perFile = warnings.length;
  let attempts = 0;
  opened.onChange(() => ((attempts += 1) < 3 ? Promise.reject(new Error('not yet')) : undefined));
  writeFileSync(path, configOf('SECOND'));
  await waitFor('the change', () => calls.includes('applied'));
  expect([attempts, warnings.length]).toEqual([3, 2 * perFile]);
});

it('a file that is missing for a moment, or that the listener refuses, leaves the previous configuration in use', async () => {
  const opened = await open();
  rmSync(path);
  await waitFor('the refusal', () => calls.length > 0);
  opened.onChange(() => Promise.reject(new Error('not allowed')));
  writeFileSync(path, configOf('SECOND'));
  await waitFor('the second refusal', () => calls.includes('refused: not allowed'));
  expect(codeOf(opened)).toBe('FIRST');
});

it('a missing file ends the start with the sentence of the check', async () => {
  rmSync(path);
  await expect(open()).rejects.toThrow(OperatorConfigError);
});
