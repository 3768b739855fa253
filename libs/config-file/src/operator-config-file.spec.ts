import { OperatorConfigError } from '@ssb/operator-config';
import { createLogger } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
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
  sinks: [{ name: '\${SINK}', kind: console }]
  rules: [{ types: ['settlementbus.*'], sinks: ['\${SINK}'], alert: true }]
`;

let folder: string;
let path: string;
let file: OperatorConfigFile | undefined;
const calls: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'operator-config-file-'));
  path = join(folder, 'bridge.yaml');
  writeFileSync(path, configOf('FIRST'));
  calls.length = 0;
});
afterEach(async () => {
  await file?.close();
  file = undefined;
  rmSync(folder, { recursive: true });
});

async function open(): Promise<OperatorConfigFile> {
  const log = createLogger({ name: 'test', level: 'silent', format: 'json' });
  file = await OperatorConfigFile.open({ path, environment: { SINK: 'console' }, intervalMs: 10, log });
  file.observe({
    onApplied: () => calls.push('applied'),
    onRefused: (error) => calls.push(`refused: ${(error as Error).message.split('\n')[0]}`),
    onRecovered: () => calls.push('recovered'),
  });
  return file;
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
  expect(opened.current().alerts.sinks).toEqual([{ name: 'console', kind: 'console' }]);
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
  expect(calls).not.toContain('applied');
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
