// One file, one after the other: commands without a setting find the only system that runs.
import './start-everyday.suite.js';
import { lockFolder, lockSocketOf } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import { runToEnd, waitFor, type EndedProcess } from '@ssb/testing';
import { REPOSITORY_ROOT } from '@ssb/tools';
import { Redis } from 'ioredis';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type Command,
  findProcesses,
  interrupt,
  runCommand,
  stopCommands,
  waitForOutput,
} from '../harness/command.js';

/** A statement, a breach and its end. Each state lasts longer than the poll interval of npm start. */
const SHORT_SCENARIO = `
kind: once
about: A statement, a breach and its end.
seed: start
book:
  creditSupport: '8000000.00'
  creditLimit: '7500000.00'
  tradingLimit: '6525000.00'
  prepayment: '100000.00'
  invoiceNotPaid: '1250000.00'
runs:
  wem:
    marketService: WEM
    designation: INITIAL
    firstDay: -14
    lastDay: -8
    statementDay: 0
    invoiceDay: 0
    settlementDay: 3
steps:
  - { statement: wem, hold: 0s }
  - { margin: '-60000.00', hold: 3s }
  - { margin: '850000.00', hold: 0s }
expect: []
`;

let folder: string;
let data: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-start-'));
  data = join(folder, 'data');
  writeFileSync(join(folder, 'short.yaml'), SHORT_SCENARIO);
});

afterEach(stopCommands);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(environment: Readonly<Record<string, string>> = {}): Command {
  const scenarioOptions = ['--scenario', join(folder, 'short.yaml')];
  return runCommand('bundles/start.js', ['--data', data, '--free-ports', ...scenarioOptions], environment);
}

/** Redis and PostgreSQL. */
function serverPids(): number[] {
  const redis = JSON.parse(readFileSync(join(data, 'redis/server.json'), 'utf8')) as { readonly pid: number };
  return [redis.pid, Number.parseInt(readFileSync(join(data, 'postgres/data/postmaster.pid'), 'utf8'), 10)];
}

interface Health {
  readonly checks: Readonly<Record<string, unknown>>;
}

function findAddress(started: Command, app: string): string | undefined {
  return new RegExp(`${app} +(http://127\\.0\\.0\\.1:\\d+)`).exec(started.output())?.[1];
}

async function readHealth(started: Command, app: string): Promise<Health> {
  return (await (await fetch(`${findAddress(started, app)}/health`)).json()) as Health;
}

const runBusbridge = (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<EndedProcess> => runToEnd(join(REPOSITORY_ROOT, 'bundles', 'cli.js'), args, environment);

const busbridge = (...args: string[]): Promise<EndedProcess> => runBusbridge(args, {});

function readSystemUrl(): string {
  const { groups } = JSON.parse(readFileSync(join(data, 'busbridge.json'), 'utf8')) as {
    groups: { api: { BUSBRIDGE_URL: string } };
  };
  return groups.api.BUSBRIDGE_URL;
}

async function readRetention(): Promise<unknown> {
  const url = readFileSync(join(data, 'subscriber-database.url'), 'utf8');
  const database = new Database({ url, schema: 'subscriber', connections: 1 });
  try {
    return await database.query('SELECT days FROM archive_retention');
  } finally {
    await database.close();
  }
}

/** A check of a busy machine can time out once. */
async function waitForCheck(started: Command, app: string, check: string): Promise<void> {
  await waitFor(`${check} of ${app}`, async () =>
    isDeepStrictEqual((await readHealth(started, app)).checks[check], { status: 'up' }),
  );
}

async function waitForDoctor(checks: readonly string[]): Promise<void> {
  let results: { check: string; outcome: string }[] = [];
  await waitFor(
    () => `${checks.join(', ')} to be ok; last: ${JSON.stringify(results)}`,
    async () => {
      const { stdout } = await busbridge('doctor', '--json');
      ({ results } = JSON.parse(stdout) as { results: typeof results });
      return checks.every((name) => results.some(({ check, outcome }) => check === name && outcome === 'ok'));
    },
  );
}

/** Commands in the clone find the system without any setting, unless several run. */
async function expectCommandsFindSystem(): Promise<void> {
  for (const command of [
    'problems list',
    'dead-letters list',
    'records list',
    'tokens list',
    'keys show',
    'config check',
    'heartbeat --timeout 60s',
  ])
    expect([command, await busbridge(...command.split(' '))]).toEqual([
      command,
      expect.objectContaining({ status: 0, stderr: '' }),
    ]);
  await waitForDoctor(['connection', 'poller', 'gateways', 'broker', 'Redis', 'file']);
  const [other, entry] = [join(folder, 'other'), join(REPOSITORY_ROOT, '.data/systems/other')];
  mkdirSync(other);
  const lock = join(other, 'start');
  writeFileSync(
    join(other, 'busbridge.json'),
    JSON.stringify({ lockSocket: lockSocketOf(lock), groups: {} }),
  );
  const unlock = await lockFolder(lock);
  writeFileSync(entry, other);
  try {
    expect(await busbridge('problems', 'list')).toMatchObject({
      status: 78,
      stderr: expect.stringMatching(
        new RegExp(`^Several systems run: .*(${data}, ${other}|${other}, ${data})`),
      ),
    });
    const url = readSystemUrl();
    const token = readFileSync(join(data, 'secrets/api.token'), 'utf8').trim();
    const explicit = { BUSBRIDGE_URL: url, BUSBRIDGE_TOKEN: token };
    expect(await runBusbridge(['problems', 'list'], explicit)).toMatchObject({ status: 0, stderr: '' });
    await unlock();
    expect(await busbridge('problems', 'list')).toMatchObject({ status: 0, stderr: '' });
  } finally {
    await unlock();
    rmSync(entry);
  }
}

describe('npm start', () => {
  it('leaves nothing behind after SIGKILL while it starts', async () => {
    const started = start();
    await waitFor('a running app', () => existsSync(join(data, 'logs/broker.log')), 120_000);
    expect(await interrupt(started, 'SIGKILL')).toBeNull();
    await waitFor(
      () => `the end of all processes; still running:\n${findProcesses(data).join('\n')}`,
      () => findProcesses(data).length === 0,
      60_000,
    );
  });

  it('continues with the same data, prints the address of each service and a line for each event, starts killed servers again, and leaves no process behind after Ctrl-C', async () => {
    chmodSync(data, 0o755);
    const started = start({ ARCHIVE_RETENTION_DAYS: '400' });
    await waitForOutput(started, 'Ctrl-C stops everything', 120_000);
    expect(started.output()).toMatch(/^Console: http:\/\/127\.0\.0\.1:\d+\/#sign-in=[\w-]{43} /);
    expect(await readRetention()).toEqual([{ days: 400 }]);
    expect(started.output()).toContain(`WARNING: other users of this machine may open ${data} (0755)`);
    await waitFor('the first line of the log', () => existsSync(join(data, 'logs/poller.log')));
    for (const file of [
      'redis.url',
      'subscriber-database.url',
      'busbridge.json',
      'tls/token.pem',
      'tls/token.key',
      'logs/poller.log',
    ])
      expect([file, statSync(join(data, file)).mode & 0o777]).toEqual([file, 0o600]);
    await waitForCheck(started, 'broker, management', 'redis');
    expect(started.output()).toMatch(/PostgreSQL +postgres:\/\/…@127\.0\.0\.1:\d+\/settlement_bus_bridge/);
    expect(started.output()).toMatch(/subscriber +http:\/\/127\.0\.0\.1:\d+/);
    await waitForOutput(started, /!! .*margin\.breached +WPGENCO +margin -60,000\.00 below 0\.00/, 90_000);
    await waitForOutput(started, /margin\.restored/, 60_000);
    await waitForOutput(started, / {3}\d\d:\d\d:\d\d {2}statement\.published/, 60_000);
    expect(findProcesses(data).length).toBeGreaterThan(0);
    for (const app of ['bus-publisher', 'subscriber']) await waitForCheck(started, app, 'gateway');
    const password = readFileSync(join(data, 'redis', 'password'), 'utf8');
    for (const file of ['redis.url', 'redis/password'])
      expect(statSync(join(data, file)).mode & 0o777).toBe(0o600);
    // Arguments and environments of all processes.
    const processes = execFileSync('ps', ['axeww'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    expect(processes).toContain(`REDIS_PASSWORD_FILE=${join(data, 'redis', 'password')}`);
    expect(processes).not.toContain(password);
    const redis = new Redis(readFileSync(join(data, 'redis.url'), 'utf8').trim());
    await redis.config('SET', 'min-replicas-to-write', '1');
    await waitForOutput(
      started,
      /!! bus-publisher +not ready +.*redis: Redis refuses writes: NOREPLICAS/,
      60_000,
    );
    await redis.config('SET', 'min-replicas-to-write', '0');
    await waitForOutput(started, / {3}bus-publisher +ready/, 60_000);
    redis.disconnect();
    const token = readFileSync(join(data, 'secrets/api.token'), 'utf8').trim();
    const breaches = `${findAddress(started, 'api')}/v1/events?type=settlementbus.margin.breached.v1`;
    await waitFor(
      'an archived breach',
      async () => {
        const response = await fetch(breaches, { headers: { authorization: `Bearer ${token}` } });
        return (await response.text()).includes('settlementbus.margin.breached.v1');
      },
      60_000,
    );
    await expectCommandsFindSystem();
    for (const pid of serverPids()) process.kill(pid, 'SIGKILL');
    for (const name of ['Redis', 'PostgreSQL']) {
      await waitForOutput(
        started,
        `${name} ended unexpectedly (SIGKILL). It is started again in 1 s.`,
        60_000,
      );
      await waitForOutput(started, `${name} runs again.`, 60_000);
    }
    for (const [app, check] of Object.entries({ poller: 'redis', subscriber: 'database' }))
      await waitForCheck(started, app, check);
    expect(await interrupt(started)).toBe(0);
    expect(findProcesses(data)).toEqual([]);
  });
});
