import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@ssb/dev/free-ports';
import { STANDARD_PORTS } from '@ssb/tools';
import {
  type Command,
  findProcesses,
  interrupt,
  runCommand,
  stopCommands,
  waitForExit,
  waitForOutput,
} from '../harness/command.js';

let folder: string;
let data: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-refused-'));
});

afterEach(stopCommands);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(environment: Readonly<Record<string, string>> = {}, ...options: string[]): Command {
  return runCommand('bundles/start.js', ['--data', data, ...options], environment);
}

async function listenOn(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('npm start fails and', () => {
  beforeEach(() => {
    data = mkdtempSync(join(folder, 'refused-'));
  });

  it('reports an unreachable PostgreSQL within seconds, without its password', async () => {
    const url = `postgres://ops:hunter2@127.0.0.1:${await freePort()}/bridge`;
    const started = start({ DATABASE_URL: url }, '--free-ports');
    expect(await waitForExit(started)).toBe(1);
    expect(started.output()).toMatch(
      /The PostgreSQL at postgres:\/\/…@127\.0\.0\.1:\d+\/bridge cannot be used: connect ECONNREFUSED/,
    );
    expect(started.output()).not.toContain('hunter2');
    expect(findProcesses(data)).toEqual([]);
  });

  it('names each invalid environment variable', async () => {
    const wrong = { REDIS_URL: 'localhost:6379', DATABASE_URL: 'localhost:5432', WEBHOOK_URL: 'nowhere' };
    const started = start(wrong, '--free-ports');
    expect(await waitForExit(started)).toBe(1);
    expect(started.output()).toContain('REDIS_URL is');
    expect(started.output()).toContain('DATABASE_URL is');
    expect(started.output()).toContain('WEBHOOK_URL is');
    expect(findProcesses(data)).toEqual([]);
  });

  it('reports an invalid option of the simulation before anything starts', async () => {
    const started = start({}, '--free-ports', '--speed', 'fast');
    expect(await waitForExit(started)).toBe(1);
    expect(started.output()).toContain('SPEED is "fast", but it takes a number from 0.01 to 1000000, or max');
    expect(started.output()).not.toContain('✓');
  });

  it('names the port that is in use', async () => {
    // If another process already uses the port, the test works as well.
    const server = await listenOn(STANDARD_PORTS.broker).catch(() => undefined);
    try {
      const started = start();
      expect(await waitForExit(started)).toBe(1);
      expect(started.output()).toMatch(/In use already: .*port 4003 \(broker\)/);
      expect(findProcesses(data)).toEqual([]);
    } finally {
      server?.close();
    }
  });
});

describe('npm start, interrupted while it starts,', () => {
  // All tests share one folder, so that PostgreSQL initializes its files only once.
  beforeAll(() => {
    data = join(folder, 'stopped');
  });

  it.each([
    ['as soon as PostgreSQL runs', '✓ PostgreSQL', 'SIGHUP'],
    ['while market and bus start', '✓ certificates and keys', 'SIGTERM'],
  ] as const)('leaves no process behind: %s', async (_, step, signal) => {
    const started = start({}, '--free-ports');
    await waitForOutput(started, step, 120_000);
    expect(await interrupt(started, signal)).toBe(0);
    expect(findProcesses(data)).toEqual([]);
  });

  it('refuses a data folder that another npm start uses, which runs until the reader of its output ends', async () => {
    const first = start({}, '--free-ports');
    await waitForOutput(first, '✓ Redis', 60_000);
    const second = start({}, '--free-ports');
    expect(await waitForExit(second)).toBe(1);
    expect(second.output()).toContain(`The folder ${data} is in use by another process`);
    expect(first.child.exitCode).toBeNull();
    const status = waitForExit(first);
    first.child.stdout?.destroy();
    expect(await status).toBe(0);
    expect(findProcesses(data)).toEqual([]);
  });
});
