import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppProcess, AppStartError } from './app-process.js';

let logFolder: string;

beforeEach(() => {
  logFolder = mkdtempSync(join(tmpdir(), 'app-process-'));
});

afterEach(() => rmSync(logFolder, { recursive: true, force: true }));

it('rejects with the reason when an app does not start, and does not report an unexpected exit', async () => {
  const exits: string[] = [];
  const process = new AppProcess({
    name: 'subscriber',
    app: 'no-such-app',
    environment: {},
    logFolder,
    onUnexpectedExit: (name) => exits.push(name),
  });
  await expect(process.start()).rejects.toThrow(AppStartError);
  expect(exits).toEqual([]);
  expect(process.running).toBe(false);
});
