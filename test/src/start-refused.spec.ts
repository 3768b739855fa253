import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@ssb/free-ports';
import { waitFor } from '@ssb/testing';
import { STANDARD_PORTS } from '@ssb/tools';
import {
  endCommands,
  ended,
  interrupt,
  leftovers,
  runCommand,
  shows,
  type Command,
} from './harness/command.js';

let folder: string;
let data: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-refused-'));
});

afterEach(endCommands);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(environment: Readonly<Record<string, string>> = {}, ...more: string[]): Command {
  return runCommand('bundles/start.js', ['--data', data, ...more], environment);
}

async function listenOn(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('npm start that cannot go on', () => {
  beforeEach(() => {
    data = mkdtempSync(join(folder, 'refused-'));
  });

  it('says that Redis is not there, within seconds, and shows no password', async () => {
    const url = `redis://ops:hunter2@127.0.0.1:${await freePort()}`;
    const started = start({ REDIS_URL: url }, '--free-ports');
    expect(await ended(started)).toBe(1);
    expect(started.output()).toMatch(/The Redis at redis:\/\/…@127\.0\.0\.1:\d+ cannot be used/);
    expect(started.output()).not.toContain('hunter2');
    expect(leftovers(data)).toEqual([]);
  });

  it('says that PostgreSQL is not there, within seconds, and shows no password', async () => {
    const url = `postgres://ops:hunter2@127.0.0.1:${await freePort()}/bridge`;
    const started = start({ DATABASE_URL: url }, '--free-ports');
    expect(await ended(started)).toBe(1);
    expect(started.output()).toMatch(
      /The PostgreSQL at postgres:\/\/…@127\.0\.0\.1:\d+\/bridge cannot be used: connect ECONNREFUSED/,
    );
    expect(started.output()).not.toContain('hunter2');
    expect(leftovers(data)).toEqual([]);
  });

  it('says what to do with data of another version of PostgreSQL, and leaves the data alone', async () => {
    mkdirSync(join(data, 'postgres', 'data'), { recursive: true });
    writeFileSync(join(data, 'postgres', 'data', 'PG_VERSION'), '12\n');
    const started = start({}, '--free-ports');
    expect(await ended(started)).toBe(1);
    expect(started.output()).toContain(
      `The data in ${join(data, 'postgres', 'data')} was written by PostgreSQL 12`,
    );
    expect(started.output()).toMatch(/move .* away to start with an empty database/);
    expect(leftovers(data)).toEqual([]);
  });

  it('names each wrong variable of the environment', async () => {
    const wrong = { REDIS_URL: 'localhost:6379', DATABASE_URL: 'localhost:5432', WEBHOOK_URL: 'nowhere' };
    const started = start(wrong, '--free-ports');
    expect(await ended(started)).toBe(1);
    expect(started.output()).toContain('REDIS_URL is');
    expect(started.output()).toContain('DATABASE_URL is');
    expect(started.output()).toContain('WEBHOOK_URL is');
    expect(leftovers(data)).toEqual([]);
  });

  it.each([
    [['--speed', 'fast'], 'SPEED is "fast", but it takes a number from 0.01 to 1000000, or max'],
    [
      ['--scenario', 'no-such-scenario'],
      'There is no scenario no-such-scenario. Name a YAML file, or one of: ',
    ],
  ])(
    'says what cannot be simulated before anything starts: %j',
    async (options, sentence) => {
      const started = start({}, '--free-ports', ...options);
      expect(await ended(started)).toBe(1);
      expect(started.output()).toContain(sentence);
      expect(started.output()).not.toContain('✓');
    },
    120_000,
  );

  it('names the port that is taken', async () => {
    // Somebody may have it already: taken is taken.
    const taken = await listenOn(STANDARD_PORTS.broker).catch(() => undefined);
    try {
      const started = start();
      expect(await ended(started)).toBe(1);
      expect(started.output()).toMatch(/In use already: .*port 4003 \(broker\)/);
      expect(leftovers(data)).toEqual([]);
    } finally {
      taken?.close();
    }
  });
});

it('npm run dead-letters says so as well, instead of waiting', async () => {
  const asked = runCommand('bundles/dead-letters.js', ['--redis', `redis://127.0.0.1:${await freePort()}`]);
  expect(await ended(asked)).toBe(1);
  expect(asked.output()).toMatch(/^The Redis at redis:\/\/127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED/);
});

describe('npm start that is asked to stop while it starts', () => {
  // One folder for all: each test gets further than the one before, and PostgreSQL makes its files once.
  beforeAll(() => {
    data = join(folder, 'stopped');
  });

  it.each([
    ['as soon as Redis runs', '✓ Redis', 'SIGINT'],
    ['as soon as PostgreSQL runs', '✓ PostgreSQL', 'SIGTERM'],
    ['while market and bus come up', '✓ certificates and keys', 'SIGTERM'],
    ['while accounts and the bus are provisioned', '✓ market and bus', 'SIGHUP'],
    ['while the bridge comes up', '✓ accounts', 'SIGINT'],
  ] as const)(
    'leaves nothing behind: %s',
    async (_, step, signal) => {
      const started = start({}, '--free-ports');
      await shows(started, step, 120_000);
      expect(await interrupt(started, signal)).toBe(0);
      expect(leftovers(data)).toEqual([]);
    },
    240_000,
  );

  it('leaves no app behind when it is killed while they come up, and the next one takes its servers over', async () => {
    data = join(folder, 'killed');
    const started = start({}, '--free-ports');
    await shows(started, '✓ certificates and keys', 60_000);
    await waitFor('the first app', () => leftovers(data).some((command) => command.includes('/bundles/')));
    expect(await interrupt(started, 'SIGKILL')).toBeNull();
    await waitFor(
      () => `the end of the apps; still running:\n${leftovers(data).join('\n')}`,
      () => leftovers(data).every((command) => /redis|postgres/.test(command)),
    );
    const next = start({}, '--free-ports');
    await shows(next, '✓ PostgreSQL', 60_000);
    expect(await interrupt(next)).toBe(0);
    expect(leftovers(data)).toEqual([]);
  }, 240_000);

  it('leaves nothing behind when nobody reads its output any more', async () => {
    const started = start({}, '--free-ports');
    await shows(started, '✓ Redis', 60_000);
    const status = ended(started);
    started.child.stdout?.destroy();
    expect(await status).toBe(0);
    expect(leftovers(data)).toEqual([]);
  }, 240_000);

  it('refuses a folder that another one uses, and leaves that one alone', async () => {
    const first = start({}, '--free-ports');
    await shows(first, '✓ Redis', 60_000);
    const second = start({}, '--free-ports');
    expect(await ended(second)).toBe(1);
    expect(second.output()).toContain(`The folder ${data} is in use by another process`);
    expect(first.child.exitCode).toBeNull();
    expect(await interrupt(first)).toBe(0);
    expect(leftovers(data)).toEqual([]);
  }, 240_000);
});
