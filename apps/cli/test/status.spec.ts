import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startScriptedServer, waitFor, type ScriptedServer } from '@ssb/testing';
import { uuidOf } from '@ssb/testing/archived-events';
import { createExample, BREACH, rowsOf } from './support/example.js';
import { PROGRAM, runCommand } from './support/run-command.js';
import { startApi, type RunningApi } from './support/running-api.js';
import type { SubscriberTables } from './support/subscriber-tables.js';

const [ACTIVE, OVER] = [uuidOf('active'), uuidOf('over')];
const HEALTH = { status: 'ok', version: '1.2.3', checks: {}, faults: [] };
const QUEUE = {
  ...{ waiting: 3, active: 0, delayed: 0, failed: 0, oldestWaitingSeconds: 250 },
  ...{ deadLetters: 2, unverifiedDeadLetters: 0 },
};
const STATE = {
  participants: [
    {
      participant: 'WPGENCO',
      leaseHolder: 'poller-1\u001b[2J',
      interfaces: [{ interface: 'prudential', budgets: [{ seconds: 60, requests: 50, used: 8 }] }],
    },
  ],
  queue: QUEUE,
};

let tables: SubscriberTables;
let api: RunningApi;
/** The management ports of poller and bus-publisher. */
let apps: ScriptedServer;

beforeAll(async () => {
  apps = await startScriptedServer();
  apps.respond = ({ url }) => ({
    body: JSON.stringify(
      url === '/health' ? { ...HEALTH, certificates: [{ name: 'server', daysLeft: 5 }] } : STATE,
    ),
  });
  tables = await createExample();
  await tables.admin.query(
    `INSERT INTO silence (silence_id, silence_key, matchers, starts_at, ends_at, author, comment, ended_at, ended_by) VALUES
       (7, '${ACTIVE}', '{"participants": ["WPGENCO"]}', '2026-01-01', '2100-01-01', E'jane\\u001b[2J', 'maintenance', NULL, NULL),
       (8, '${OVER}', '{"problems": ["margin"]}', '2026-01-01', '2027-01-01', 'joe', 'done', '2026-01-02', 'joe')`,
  );
  await tables.admin.query(`INSERT INTO silenced_problem (silence_id, problem_id) VALUES (7, '${BREACH}')`);
  api = await startApi(tables, { POLLER_URLS: apps.url, PUBLISHER_URLS: apps.url });
});
afterAll(async () => {
  await api.stop();
  await apps.stop();
  await tables.close();
});

describe('busbridge status', () => {
  it('has on one screen what is wrong first, then each part, and ends with 1 while the bridge fails', async () => {
    const { status, stdout } = await api.run('status');
    expect(status).toBe(1);
    expect(stdout).toMatch(/^FAILING {2}No subscriber reads the channels: .*\(\d+ further findings\)\.\n/);
    expect(stdout).toMatch(
      /^Worst problem: margin of WPGENCO, BREACHED, -120\.50: busbridge problems ack aaaaaa11\n- /m,
    );
    expect(stdout).toMatch(/^poller +ok +1\.2\.3$/m);
    expect(stdout).toMatch(/^gateway +not-configured +GATEWAY_URLS is not set\.$/m);
    expect(stdout).toMatch(/^queue +waiting 3, the oldest for 4 min; active 0; delayed 0$/m);
    expect(stdout).toMatch(/^- 2 events could not .*: read the reasons in "busbridge dead-letters list"/m);
    expect(stdout).toMatch(/^dead letters +2$/m);
    expect(stdout).toMatch(/^polling +WPGENCO by poller-1\\u001b\[2J: prudential not yet, budget 42 of 50$/m);
    expect(stdout).toMatch(/^problems +critical 1 \(not acknowledged 1\); warning 1; info 0$/m);
    expect(stdout).toMatch(/^sinks +treasury: disabled by jane, pending \d, refused 1$/m);
    expect(stdout).toMatch(/^certificates +server \(poller\): 5 days left$/m);
    expect(stdout.split('\n').length).toBeLessThan(41);
    expect(JSON.parse((await api.run('status', '--json')).stdout)).toMatchObject({ state: 'failing' });
  });

  it.each([
    ['failing', 1],
    ['degraded', 69],
  ])(
    'shows everything else of a %s bridge when the worst problem cannot be read',
    async (state, expected) => {
      const present = JSON.parse((await api.run('status', '--json')).stdout) as object;
      const body = JSON.stringify({ ...present, state });
      const partial = await startScriptedServer();
      partial.respond = ({ url }) =>
        url === '/v1/status'
          ? { body }
          : { status: 503, body: '{"detail": "The database does not respond."}' };
      const environment = { BUSBRIDGE_URL: partial.url, BUSBRIDGE_TOKEN: 'any' };
      const { status, stdout, stderr } = await runCommand(['status'], environment);
      await partial.stop();
      expect([status, stderr]).toEqual([expected, '']);
      expect(stdout).toMatch(/^The worst problem could not be read: The database does not respond\.$/m);
      expect(stdout).toMatch(/^poller +ok +1\.2\.3$/m);
    },
  );

  it('is ended by Ctrl-C, also while it waits for a response', async () => {
    const silent = await startScriptedServer();
    silent.respond = () => undefined;
    const child = spawn(process.execPath, [PROGRAM, 'status', '--watch'], {
      env: { BUSBRIDGE_URL: silent.url, BUSBRIDGE_TOKEN: api.tokens.olivia },
    });
    await waitFor('the request', () => silent.received.length > 0);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    await silent.stop();
  });

  it('is for those who see all participants', async () => {
    const environment = { BUSBRIDGE_URL: api.url, BUSBRIDGE_TOKEN: api.tokens.wendy };
    expect(await runCommand(['status'], environment)).toMatchObject({ status: 77, stdout: '' });
  });
});

describe('busbridge silences', () => {
  it('lists those that apply, and ended ones with --all or --at', async () => {
    const { stdout } = await api.run('silences', 'list');
    expect(rowsOf(stdout).map((row) => row.slice(0, 7))).toEqual([
      [
        ...[ACTIVE.slice(0, 8), 'active', '2100-01-01 00:00:00Z', 'participants WPGENCO'],
        ...['jane\\u001b[2J', 'maintenance', 'aaaaaa11'],
      ],
    ]);
    for (const args of [['--all'], ['--at', '2026-01-01T12:00:00Z']])
      expect(JSON.parse((await api.run('silences', 'list', ...args, '--json')).stdout)).toMatchObject({
        items: [{ id: OVER, state: 'ended' }, { id: ACTIVE }],
      });
  });

  it('adds one', async () => {
    const args = ['--type', 'margin.*', '--severity', 'warning', '--for', '4h', '--comment', 'maintenance'];
    const result = { silenceId: 7, startsAt: '2026-01-01T00:00:00Z', endsAt: '2026-01-01T04:00:00Z' };
    const { request, ...ended } = await api.carryOut(['silences', 'add', ...args], 'done', result);
    expect(ended).toEqual({
      status: 0,
      stdout: expect.stringMatching(
        /^The silence \w* ?applies from 2026-01-01 00:00:00Z to 2026-01-01 04:00:00Z\.\n$/,
      ) as string,
      stderr: '',
    });
    expect(request).toMatchObject({
      kind: 'silence',
      parameters: {
        matchers: { types: ['settlementbus.margin.*'], severities: ['warning'] },
        seconds: 14_400,
      },
      author: 'olivia',
    });
  });

  it('ends one by its shortened id', async () => {
    const { request, stdout } = await api.carryOut(['silences', 'end', ACTIVE.slice(0, 6)], 'done', {});
    expect(stdout).toBe(`The silence ${ACTIVE.slice(0, 6)} has ended.\n`);
    expect(request).toMatchObject({ kind: 'end-silence', parameters: { silenceId: 7 } });
  });

  it.each([
    [['add', '--for', '1h', '--comment', 'x'], 2, /^Say what the silence covers/],
    [['add', '--participant', 'WPGENCO', '--comment', 'x'], 2, /^Say when the silence ends/],
    [['add', '--participant', 'WPGENCO', '--for', '1h'], 2, /^Say with --comment why/],
    [['add', '--participant', 'WPGENCO', '--for', '0s', '--comment', 'x'], 2, /^--for must be a duration/],
    [['add', '--type', 'margin.breach', '--for', '1h', '--comment', 'x'], 2, /^--type .*margin\.breached/],
    [
      ['end', 'ffffff'],
      1,
      /^There is no such silence .*\. "busbridge silences list --all" shows the ids\.\n$/,
    ],
  ])('%j is refused with status %d', async (args, status, stderr) => {
    expect(await api.run('silences', ...args)).toEqual({
      status,
      stdout: '',
      stderr: expect.stringMatching(stderr) as string,
    });
  });
});

it('busbridge audit lists who requested what, and filters', async () => {
  await api.carryOut(['problems', 'ack', BREACH, '--comment', 'Cash is coming.'], 'done', {});
  const { stdout } = await api.run('audit', '--kind', 'acknowledge');
  expect(rowsOf(stdout).map((row) => row.slice(1, 5))).toContainEqual([
    'acknowledge',
    'requested',
    'olivia',
    'Cash is coming.',
  ]);
  expect((await api.run('audit', '--author', 'nobody')).stdout).toBe('No records match.\n');
});
