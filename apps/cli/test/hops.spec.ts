import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedServer, waitFor, type Reply, type ScriptedServer } from '@ssb/testing';
import { PROGRAM } from './support/run-command.js';
import { startApi, type RunningApi } from './support/running-api.js';
import { createSubscriberTables, type SubscriberTables } from './support/subscriber-tables.js';

const json = (body: object, status = 200): Reply => ({ status, body: JSON.stringify(body) });
const LETTER = {
  id: 'one',
  verified: false,
  type: 'settlementbus.margin.breached.v1',
  subject: 'WPGENCO\u001b[2J',
  reason: 'no such channel',
  deadLetteredAt: '2026-03-02T00:00:00Z',
};
const BACKFILL = {
  participant: 'WPGENCO',
  from: '2026-01-01',
  to: '2026-01-31',
  dryRun: false,
  state: 'running',
  stepsDone: 2,
  stepsTotal: 4,
  events: 3,
  types: [
    { type: 'settlementbus.statement.published.v1', events: 2 },
    { type: 'settlementbus.invoice.issued.v1', events: 1 },
  ],
  failureCount: 0,
  failures: [],
};
const RANGE = ['--from', BACKFILL.from, '--to', BACKFILL.to];

let folder: string;
let tables: SubscriberTables;
let api: RunningApi;
/** The management ports of poller and bus-publisher. */
let poller: ScriptedServer;
let publisher: ScriptedServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hops-'));
  writeFileSync(join(folder, 'token'), randomUUID(), { mode: 0o600 });
  [tables, poller, publisher] = await Promise.all([
    createSubscriberTables(),
    startScriptedServer(),
    startScriptedServer(),
  ]);
  api = await startApi(tables, {
    POLLER_URLS: poller.url,
    PUBLISHER_URLS: publisher.url,
    HOPS_OPERATE_TOKEN_FILE: join(folder, 'token'),
  });
});
afterAll(async () => {
  await api.stop();
  await Promise.all([tables.close(), poller.stop(), publisher.stop()]);
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  poller.received.length = 0;
  publisher.received.length = 0;
});

describe('busbridge dead-letters', () => {
  it('lists and shows them with escaped texts', async () => {
    publisher.respond = () => json({ items: [LETTER] });
    const { stdout } = await api.run('dead-letters', 'list');
    expect(stdout).toMatch(
      /^one +no +settlementbus\S+ +WPGENCO\\u001b\[2J +2026-03-02 00:00:00Z +no such channel$/m,
    );
    publisher.respond = () => json({ ...LETTER, event: { level: 'BREACHED' }, eventBytes: 20 });
    expect((await api.run('dead-letters', 'show', 'one')).stdout).toContain('{"level":"BREACHED"}');
  });

  it('retries all of them page by page, begins again when the cursor has left the list, and says what was refused', async () => {
    const refused = { id: 'two', outcome: 'refused', reason: 'no route' };
    const pages = [
      json({ items: [{ id: 'one', outcome: 'queued' }], next: 'gone' }),
      json({ detail: 'cursor: its dead letter has left the list' }, 422),
      json({ items: [{ id: 'one', outcome: 'already-queued' }, refused] }),
    ];
    publisher.respond = () => pages.shift() ?? json({}, 500);
    const { status, stdout } = await api.run('dead-letters', 'retry', 'all', '--json');
    expect([status, JSON.parse(stdout)]).toEqual([1, [{ id: 'one', outcome: 'queued' }, refused]]);
    expect(publisher.received.map(({ body }) => (JSON.parse(body) as { cursor?: string }).cursor)).toEqual([
      undefined,
      'gone',
      undefined,
    ]);
  });

  it('retries and removes each id, also after one that was refused', async () => {
    publisher.respond = ({ url }) =>
      url?.includes('/one/')
        ? json({ detail: 'CONFIG_FILE has no participant "X"' }, 409)
        : json(url?.endsWith('/retry') ? { id: 'two', outcome: 'queued' } : { ...LETTER, id: 'two' });
    const retried = await api.run('dead-letters', 'retry', 'one', 'two');
    expect(retried.status).toBe(1);
    expect(retried.stdout).toMatch(/^one +refused +CONFIG_FILE has no participant "X"\ntwo +queued *$/m);
    expect((await api.run('dead-letters', 'retry', 'two', '--unverified')).status).toBe(0);
    expect(publisher.received.at(-1)?.body).toBe('{"unverified":true}');
    expect(await api.run('dead-letters', 'retry', 'all', '--unverified')).toMatchObject({ status: 2 });
    const removed = await api.run('dead-letters', 'remove', 'two', '--comment', 'forged');
    expect([removed.status, removed.stdout]).toEqual([0, expect.stringMatching(/^two +removed/m)]);
  });

  it('are for operators of all participants, and need a bus-publisher', async () => {
    expect(await api.runAs('victor', 'dead-letters', 'remove', 'one')).toMatchObject({ status: 77 });
    publisher.respond = () => json({}, 500);
    expect(await api.run('dead-letters', 'list')).toMatchObject({
      status: 69,
      stderr: expect.stringContaining('The bus-publisher responds with status 500'),
    });
  });
});

describe('busbridge backfill', () => {
  /** Responds to the reading of a backfill with each state once, then with the last. */
  function respond(...states: readonly object[]): void {
    const left = [...states];
    poller.respond = ({ method, url }) => {
      if (url?.includes('/events'))
        return json({ items: [{ id: 'e', type: 't', subject: 's', time: '2026-01-05T00:00:00Z' }] });
      if (method === 'POST' && url === '/backfills')
        return json({ outcome: 'started', backfill: { ...BACKFILL, state: 'requested', stepsDone: 0 } });
      return json((left.length > 1 ? left.shift() : left[0]) ?? {});
    };
  }

  it('starts one, shows its progress, and prints the events by type', async () => {
    respond(BACKFILL, { ...BACKFILL, state: 'done' });
    const { status, stdout, stderr } = await api.run('backfill', '--participant', 'WPGENCO', ...RANGE);
    expect(stderr).toContain('WPGENCO: 2 of 4 records (50 %), 3 events');
    expect(stdout).toMatch(
      /^WPGENCO from 2026-01-01 to 2026-01-31: done\n[^]*invoice\.issued\.v1 +1\n\S+statement\.published\.v1 +2\ntotal +3\n$/,
    );
    expect(status).toBe(0);
  });

  it('lists the events of a dry run, and what could not be used', async () => {
    const failures = [{ what: 'x', reason: 'y' }];
    respond({ ...BACKFILL, dryRun: true, state: 'done', failureCount: 1, failures });
    const { status, stdout } = await api.run('backfill', '--participant', 'WPGENCO', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ failures, listed: [{ id: 'e' }], isListComplete: true });
    expect(status).toBe(1);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('continues without the command after %s', async (signal, status) => {
    respond(BACKFILL);
    const child = spawn(process.execPath, [PROGRAM, 'backfill', '--participant', 'WPGENCO', ...RANGE], {
      env: { BUSBRIDGE_URL: api.url, BUSBRIDGE_TOKEN: api.tokens.olivia },
    });
    let errors = '';
    child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
    await waitFor('the progress', () => errors.includes('(50 %)'));
    child.kill(signal);
    // At 'close', unlike 'exit', all of its output has been read.
    expect(await once(child, 'close')).toEqual([status, null]);
    expect(errors).toContain(
      'The poller continues the backfill. "busbridge backfill --participant WPGENCO" shows',
    );
  });

  it('is ended by --cancel', async () => {
    respond(BACKFILL);
    const { stdout } = await api.run('backfill', '--participant', 'WPGENCO', '--cancel');
    expect(stdout).toBe('The backfill of WPGENCO from 2026-01-01 to 2026-01-31 is ended.\n');
    expect(poller.received.map(({ url }) => url)).toEqual(['/backfills/WPGENCO/cancel']);
    poller.respond = () => json({ detail: 'The backfill has already ended.' }, 409);
    expect(await api.run('backfill', '--participant', 'WPGENCO', '--cancel')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('The backfill has already ended.'),
    });
  });

  it('refuses a wrong range, and takes the participant that is polled', async () => {
    poller.respond = ({ url }) =>
      url === '/state' ? json({ participants: [{ participant: 'XGAS' }] }) : json({ detail: 'wrong' }, 422);
    expect(await api.run('backfill', '--from', 'today')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('A date such as 2026-01-31.'),
    });
    expect(await api.run('backfill', '--from', '2026-02-01', '--to', '2026-01-31')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--from 2026-02-01 is after --to 2026-01-31.'),
    });
    expect(await api.run('backfill', '--dry-run')).toMatchObject({ status: 2 });
    await api.run('backfill', '--from', '2026-01-01');
    expect(JSON.parse(poller.received.at(-1)?.body ?? '')).toMatchObject({ participant: 'XGAS' });
  });
});

it('open-items lists what is missing, the longest first, and that something is unknown', async () => {
  const statement = {
    participant: 'WPGENCO',
    kind: 'statement',
    market: 'WEM',
    periodFrom: '2026-03-01T00:00:00',
    designation: 'INITIAL',
    period: 'TW 01 Mar 2026',
    expectedOn: '2026-03-12',
    since: '2026-03-11T16:00:00.000Z',
    overdueSince: '2026-03-12T17:00:00.000Z',
  };
  const items = [statement, { participant: 'XGAS', kind: 'unknown', interface: 'settlement' }];
  poller.respond = () => json({ participants: ['WPGENCO', 'XGAS'], items, furtherItems: 0 });
  const { status, stdout } = await api.run('open-items');
  expect(status).toBe(0);
  expect(stdout.split('\n')).toMatchObject({
    2: expect.stringMatching(/^unknown +XGAS .*unknown/),
    3: expect.stringMatching(
      /^statement +WPGENCO +WEM +2026-03-01 +INITIAL +2026-03-12 +2026-03-11 16:00:00Z +2026-03-12 17/,
    ),
  });
  expect(stdout).toMatch(/\nTimes in UTC, days in market time \(UTC\+8\)\.\n2 missing, 1 overdue\n$/);
  expect(stdout).not.toContain('why');
  const overdue = await api.run('open-items', '--overdue');
  expect([overdue.stdout.includes('statement '), overdue.stdout.includes('unknown')]).toEqual([true, false]);
  expect((await api.run('open-items', '--overdue', '-o', 'csv')).status).toBe(2);
  poller.respond = () => json({ participants: ['WPGENCO', 'XGAS'], items: [], furtherItems: 0 });
  expect((await api.run('open-items', '--kind', 'invoice')).stdout).toBe('Nothing is missing.\n');
});
