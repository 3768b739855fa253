import { waitFor } from '@ssb/testing';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppProcess } from './app-process.js';
import { LogFile } from './log-file.js';

let folder: string;
let path: string;
const reports: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-file-'));
  path = join(folder, 'poller.log');
  reports.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const report = (text: string): void => void reports.push(text.replace(`${folder}/`, ''));

/** Every write to this device fails with ENOSPC. */
const fillDisk = (): void => symlinkSync('/dev/full', path);

function freeDisk(): void {
  writeFileSync(join(folder, 'free'), '', { mode: 0o600 });
  renameSync(join(folder, 'free'), path);
}

it('appends lines to a file that only its owner can read', async () => {
  for (const texts of [['a', 'b'], ['c']]) {
    const log = new LogFile({ path, report });
    for (const text of texts) log.writeLine(text);
    await log.close();
  }
  expect(readFileSync(path, 'utf8')).toBe('a\nb\nc\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(reports).toEqual([]);
});

it('a full disk is reported once, and again with the number of lines when the file can be written', async () => {
  fillDisk();
  const log = new LogFile({ path, report, retryIntervalMs: 0 });
  log.writeLine('lost');
  await waitFor('the report', () => reports.length > 0);
  log.writeLine('lost too');
  log.writeLine('lost as well');
  await log.close();
  const failed =
    'poller.log cannot be written: ENOSPC: no space left on device, write. Lines are left out until it can.';
  expect(reports).toEqual([failed, 'poller.log is closed; 3 lines were left out.']);
});

it('continues when there is space again', async () => {
  fillDisk();
  const log = new LogFile({ path, report, retryIntervalMs: 0 });
  log.writeLine('lost');
  await waitFor('the report', () => reports.length > 0);
  freeDisk();
  log.writeLine('kept');
  await log.close();
  expect(reports[1]).toBe('poller.log is written again; 1 line was left out.');
  expect(readFileSync(path, 'utf8')).toBe('kept\n');
});

it('waits between two attempts, and counts the lines meanwhile', async () => {
  fillDisk();
  const log = new LogFile({ path, report, retryIntervalMs: 60_000 });
  log.writeLine('lost');
  await waitFor('the report', () => reports.length > 0);
  freeDisk();
  for (const text of ['b', 'c']) log.writeLine(text);
  await log.close();
  expect(reports[1]).toBe('poller.log is closed; 3 lines were left out.');
  expect(readFileSync(path, 'utf8')).toBe('');
});

it('the output of an app continues to its reader', async () => {
  fillDisk();
  const app = `console.log('{"msg":"first"}'); console.log('{"msg":"second"}'); process.send('listening'); process.stdin.resume();`;
  const messages: unknown[] = [];
  const running = new AppProcess({
    name: 'poller',
    app: 'poller',
    environment: {},
    logFolder: folder,
    launch: () => {
      const child = spawn(process.execPath, ['--eval', app], { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
      return { child, kill: (signal) => child.kill(signal) };
    },
    onLog: (_, { msg }) => messages.push(msg),
    report,
  });
  await running.start();
  await waitFor('both lines', () => messages.length === 2 && reports.length > 0);
  await running.stop();
  expect(messages).toEqual(['first', 'second']);
  expect(reports[0]).toContain('ENOSPC');
});
