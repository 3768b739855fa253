import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startScriptedServer, waitFor } from '@ssb/testing';
import { archiveEvent, uuidOf } from '@ssb/testing/archived-events';
import { rowsOf } from './support/example.js';
import { PROGRAM, runCommand } from './support/run-command.js';
import { startApi, type RunningApi } from './support/running-api.js';
import { createSubscriberTables, type SubscriberTables } from './support/subscriber-tables.js';

const BREACH = uuidOf('breach');

let tables: SubscriberTables;
let api: RunningApi;

/** Archives an event of WPGENCO as the subscriber does, which notifies at the commit. */
const archive = (type: string, name: string, severity: 'info' | 'critical' = 'info'): Promise<string> =>
  tables.admin.transaction(async (session) => {
    const event = { id: uuidOf(name), participant: 'WPGENCO' };
    const id = await archiveEvent(session, type, { event, severity, marks: ['late'] });
    await session.notify('deliveries', '');
    return id;
  });

beforeAll(async () => {
  tables = await createSubscriberTables();
  await archive('position.calculated', 'position');
  await archive('margin.breached', 'breach', 'critical');
  await tables.admin.query(
    `INSERT INTO delivery (event_id, sink, kind, subject, sequence, archive_offset, attempts, last_outcome)
     SELECT event_id, 'treasury', 'alert', subject, sequence, archive_offset, 1, 'rejected' FROM archive WHERE event_id = '${BREACH}'`,
  );
  await tables.admin.query(
    `INSERT INTO attempt (event_id, sink, number, at, duration_ms, outcome, status, response)
     VALUES ('${BREACH}', 'treasury', 1, '2026-01-02', 12, 'rejected', 422, E'no\\u001b[2J such field')`,
  );
  api = await startApi(tables);
});
afterAll(async () => {
  await api.stop();
  await tables.close();
});

describe('busbridge events', () => {
  it('lists them with filters, the newest first', async () => {
    const { stdout } = await api.run('events', 'list');
    expect(rowsOf(stdout).map((row) => row.slice(1, 5))).toEqual(
      expect.arrayContaining([['critical', 'margin.breached', 'WPGENCO', BREACH.slice(0, 8)]]),
    );
    expect(stdout).toContain('  trading margin -60,000.5  ');
    const { stdout: json } = await api.run('events', 'list', '--type', 'margin.*', '--json');
    expect(JSON.parse(json)).toMatchObject({
      items: [{ id: BREACH, figures: { tradingMargin: '-60000.5', breach: '100000' } }],
    });
    const csv = await api.run('events', 'list', '--limit', '1', '-o', 'csv');
    const [, cursor = ''] = /^There are more rows: .* --cursor (\S+)\n$/.exec(csv.stderr) ?? [];
    const rest = await api.run('events', 'list', '--cursor', cursor, '-o', 'csv');
    expect([csv.stdout, rest.stdout].map((text) => text.split('\r\n').length)).toEqual([3, 3]);
    expect(rest.stderr).toBe('');
    expect(await api.run('events', 'list', '--type', 'margin.breach')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^--type must be an event type or a pattern/) as string,
    });
  });

  it('shows one: how it arrived, who signed it, its marks, and each attempt of its deliveries', async () => {
    const { stdout } = await api.run('events', 'show', BREACH.slice(0, 8));
    expect(stdout).toMatch(/^data tradingMargin +-?\d/m);
    expect(stdout).toMatch(/^gateway +did:ethr:0x1{40}, not trusted when it was archived$/m);
    expect(stdout).toMatch(/^late: /m);
    expect(stdout).toMatch(/^treasury +alert +pending/m);
    expect(stdout).toMatch(/^treasury +1 .* +rejected +422 +no\\u001b\[2J such field$/m);
    expect(stdout).toMatch(/^data thresholds\.warning +250,000$/m);
    const { stdout: json } = await api.run('events', 'show', BREACH, '--json');
    const [row] = await tables.admin.query<{ event: string }>(
      `SELECT event FROM archive WHERE event_id = '${BREACH}'`,
    );
    expect((JSON.parse(json) as { text: string }).text).toBe(row?.event);
  });
});

it('busbridge events show has the figures of a revision and of a payment, with separators', async () => {
  const id = await archive('statement.revised', 'revision');
  const { stdout } = await api.run('events', 'show', id);
  expect(stdout).toMatch(/^data runId +4803$/m);
  expect(stdout).toMatch(/^data totals\.payment +18,135\.717825$/m);
  expect(stdout).toMatch(/^data previous\.totals\.charge +412\.06$/m);
  expect(stdout).toMatch(/^data difference\.payment +-114\.68$/m);
  expect(stdout).toMatch(/^data variables +3 entries: see --json$/m);
  expect(stdout).toMatch(
    new RegExp(`^data changes +1: busbridge statements differences ${id.slice(0, 8)}$`, 'm'),
  );
  const payment = await api.run('events', 'show', await archive('payment.due', 'payment'));
  expect(payment.stdout).toMatch(/^data dayTotals\.net +2,086\.90$/m);
});

describe('busbridge events tail', () => {
  it('prints each event once, across a restart of the API, until Ctrl-C', async () => {
    const child = spawn(
      process.execPath,
      [PROGRAM, 'events', 'tail', '--after', BREACH, '--type', 'position.*', '--json'],
      { env: { PATH: process.env['PATH'], BUSBRIDGE_URL: api.url, BUSBRIDGE_TOKEN: api.tokens.olivia } },
    );
    const ended = once(child, 'close');
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const ids = () => [...stdout.matchAll(/^\{"id":"([^"]+)".*"event":\{.*\}$/gm)].map(([, id]) => id);
    const printed = (id: string) =>
      waitFor(
        () => `${id} in ${stdout}${stderr}`,
        () => ids().includes(id),
      );
    const first = await archive('position.calculated', 'first');
    await archive('margin.restored', 'other');
    await printed(first);
    let second = '';
    await api.restart(async () => {
      await waitFor('the end of the stream', () => stderr.includes('\n'));
      expect(stderr).toMatch(/^The API shuts down\. Connecting again\.\n/);
      second = await archive('position.calculated', 'second');
    });
    await printed(second);
    child.kill('SIGINT');
    expect([await ended, ids()]).toEqual([
      [130, null],
      [first, second],
    ]);
  });

  it('continues where a connection began that is lost before its first event', async () => {
    const server = await startScriptedServer();
    const frames = [
      `retry: 1\n\nid: ${BREACH}\n: connected\n\nevent: alive\ndata:\n\n`,
      'event: end\ndata: {"reason":"expired","message":""}\n\n',
    ];
    server.respond = () => ({ headers: { 'content-type': 'text/event-stream' }, body: frames.shift() ?? '' });
    await runCommand(['events', 'tail'], { BUSBRIDGE_URL: server.url, BUSBRIDGE_TOKEN: 'busbridge_x_y' });
    expect(server.received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, BREACH]);
    await server.stop();
  });

  it('ends when the credentials have expired, and when the first connection is refused', async () => {
    const server = await startScriptedServer();
    server.respond = () => ({
      headers: { 'content-type': 'text/event-stream' },
      body: 'event: end\r\ndata: {"reason":"expired","message":"The credentials have expired."}\r\n\r\n',
    });
    const tail = (url: string) =>
      runCommand(['events', 'tail'], { BUSBRIDGE_URL: url, BUSBRIDGE_TOKEN: 'busbridge_x_y' });
    expect(await tail(server.url)).toEqual({
      status: 77,
      stdout: '',
      stderr: 'The credentials have expired.\n',
    });
    await server.stop();
    expect(await tail(server.url)).toMatchObject({ status: 69 });
    expect(await tail(api.url)).toMatchObject({ status: 77 });
  });
});
