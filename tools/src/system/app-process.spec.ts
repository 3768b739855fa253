import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppProcess, AppStartError } from './app-process.js';

let logFolder: string;

beforeEach(() => {
  logFolder = mkdtempSync(join(tmpdir(), 'app-process-'));
});

afterEach(() => rmSync(logFolder, { recursive: true, force: true }));

it('tells why an app did not start, once: by rejecting, and not as an unexpected end as well', async () => {
  const ends: string[] = [];
  const process = new AppProcess({
    name: 'subscriber',
    app: 'no-such-app',
    environment: {},
    logFolder,
    onUnexpectedEnd: (name) => ends.push(name),
  });
  await expect(process.start()).rejects.toThrow(AppStartError);
  expect(ends).toEqual([]);
  expect(process.running).toBe(false);
});
