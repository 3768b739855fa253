import { waitFor } from '@ssb/testing';
import { BREACHED, createExample, DEEPER, rowsOf, runWith } from './support/example.js';
import { runCommand } from './support/run-command.js';
import type { SubscriberTables } from './support/subscriber-tables.js';

const ESCAPING_AUTHOR = 'jane\u001b[2J';

let tables: SubscriberTables;

beforeAll(async () => {
  tables = await createExample();
});
afterAll(() => tables.close());

const run = (...args: string[]) => runWith(tables, args);

describe('a request', () => {
  beforeEach(() =>
    tables.admin.query(`INSERT INTO replica (name, expires_at) VALUES ('test', now() + interval '1 day')`),
  );
  afterEach(() => tables.admin.query(`DELETE FROM replica`));

  interface Added {
    readonly request_id: number;
  }

  /** Runs the command, and ends its request as a subscriber does. */
  async function carryOut(args: readonly string[], outcome: string, result: object) {
    const running = run(...args);
    const request = await waitFor('the request', async () => {
      const [row] = await tables.subscriber.query<Added>(
        'SELECT request_id, kind, parameters, author, comment, database_role FROM request WHERE finished_at IS NULL',
      );
      return row;
    });
    await tables.subscriber.query(
      'UPDATE request SET finished_at = now(), outcome = $2, result = $3::jsonb WHERE request_id = $1',
      [request.request_id, outcome, JSON.stringify(result)],
    );
    return { ...(await running), request };
  }

  it.each([
    [
      ['deliveries', 'resend', '--state', 'parked', '--state', 'withheld'],
      { kind: 'resend', parameters: { states: ['parked', 'withheld'] } },
      { changed: 7 },
      '7 deliveries are pending again.\n',
    ],
    [
      ['deliveries', 'skip', '--event', '00000001', '--event', DEEPER],
      { kind: 'skip', parameters: { ids: [BREACHED, DEEPER] } },
      { changed: 2 },
      '2 deliveries are skipped.\n',
    ],
    [
      ['deliveries', 'resend', '--type', 'margin.breached', '--since', '2026-01-01T00:00:00Z'],
      { kind: 'resend', parameters: { types: ['settlementbus.margin.breached.v1'] } },
      { changed: 1 },
      '1 delivery is pending again.\n',
    ],
    [
      ['deliveries', 'skip', '--event', DEEPER],
      { kind: 'skip' },
      { changed: 0 },
      'No delivery that can be skipped matches; nothing was changed.\n',
    ],
    [
      ['sinks', 'test', 'treasury'],
      { kind: 'test' },
      { outcome: 'unreachable', description: 'unreachable: no token', durationMs: 3 },
      'outcome    unreachable\nreason     unreachable: no token\ndurationMs 3\n',
      1,
    ],
    [
      ['replay', '--sink', 'treasury', '--since', '1d', '--type', 'margin.*'],
      {
        kind: 'replay',
        parameters: { types: expect.arrayContaining(['settlementbus.margin.breached.v1']) as string[] },
      },
      { changed: 0 },
      'No archived event matches that the sink has not had; nothing was changed.\n',
    ],
    [
      ['sinks', 'disable', 'treasury', '--comment', 'maintenance'],
      { kind: 'disable-sink', parameters: { sink: 'treasury' }, comment: 'maintenance' },
      { changed: false },
      'The sink treasury is disabled already.\n',
    ],
    [
      ['sinks', 'test', 'treasury'],
      { kind: 'test', parameters: { sink: 'treasury' } },
      { outcome: 'delivered', status: 204, durationMs: 3 },
      'outcome    delivered\nstatus     204\ndurationMs 3\n',
    ],
    [
      ['replay', '--sink', 'treasury', '--since', '2026-01-01T08:00:00+08:00', '--participant', 'WPGENCO'],
      {
        kind: 'replay',
        parameters: { sink: 'treasury', since: '2026-01-01T00:00:00.000Z', participants: ['WPGENCO'] },
      },
      { changed: 12 },
      '12 deliveries are added.\n',
    ],
  ])('%j', async (args, expected, result, stdout, expectedStatus = 0) => {
    const ended = await carryOut(args, 'done', result);
    expect(ended.request).toMatchObject(expected);
    expect([ended.status, ended.stdout, ended.stderr]).toEqual([expectedStatus, stdout, '']);
  });

  it('says why it was refused', async () => {
    const ended = await carryOut(['sinks', 'test', 'none'], 'refused', { reason: 'It has no sink none.' });
    expect([ended.status, ended.stdout, ended.stderr]).toEqual([1, '', 'It has no sink none.\n']);
  });

  it('says that no subscriber runs, and stays', async () => {
    await tables.admin.query('DELETE FROM replica');
    const { status, stderr } = await run('sinks', 'enable', 'treasury');
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^No subscriber is running on this database\. The request \d+ is stored: /),
    ]);
    expect((await run('sinks', 'enable', 'treasury', '--wait', '0.1')).stderr).toBe(
      stderr.replace(/\d+/g, (id) => String(Number(id) + 1)),
    );
  });

  it('says that no subscriber has taken it, and is listed and shown with its audit', async () => {
    await tables.admin.query(
      `UPDATE request SET finished_at = now(), outcome = 'done' WHERE finished_at IS NULL`,
    );
    const { stderr } = await run('sinks', 'enable', 'treasury', '--wait', '0.1', '--author', ESCAPING_AUTHOR);
    const [, id = ''] = /^No subscriber has taken the request (\d+) within 0\.1 s\. /.exec(stderr) ?? [];
    expect(stderr).toContain(`"busbridge requests show ${id}" shows its state.`);
    const listed = await run('requests', 'list', '--state', 'waiting');
    expect(rowsOf(listed.stdout).map((row) => row.toSpliced(1, 1))).toEqual([
      [id, 'enable-sink', 'waiting', 'jane\\u001b[2J', 'sink treasury'],
    ]);
    await tables.subscriber.query(
      `UPDATE request SET finished_at = now(), outcome = 'refused', result = '{"reason": "It has no such sink."}' WHERE request_id = $1`,
      [id],
    );
    const { stdout } = await run('requests', 'show', id);
    expect(stdout).toMatch(/^state +refused$/m);
    expect(stdout).toMatch(/^result +It has no such sink\.$/m);
    expect(rowsOf(stdout.slice(stdout.indexOf('\n\n') + 2)).map((row) => row.slice(1))).toEqual([
      ['requested', 'jane\\u001b[2J', 'requests'],
      ['refused', 'jane\\u001b[2J', 'requests', 'It has no such sink.'],
    ]);
    expect((await run('requests', 'show', '999999')).stderr).toMatch(/^There is no request 999999\. /);
  });

  it('says that the subscriber continues it when it has taken it', async () => {
    const running = run('sinks', 'test', 'treasury', '--wait', '2');
    await waitFor('the claim', () =>
      tables.subscriber
        .query(
          `UPDATE request SET claimed_by = (SELECT min(fencing_token) FROM replica) WHERE finished_at IS NULL RETURNING request_id`,
        )
        .then((rows) => rows[0]),
    );
    expect((await running).stderr).toMatch(
      /^The request \d+ has not ended within 2 s\. The subscriber continues it\. "busbridge requests show \d+"/,
    );
  });
});

it.each([
  ['another kind of address', () => 'http://a', /^DATABASE_URL .*with the role requests/],
  [
    'a wrong password',
    () => withWrongPassword(tables.url),
    /password authentication failed for user "requests"\. Check DATABASE_URL/,
  ],
])('explains %s in DATABASE_URL', async (_, url, expected) => {
  const { status, stderr } = await runCommand(['sinks', 'list'], { DATABASE_URL: url() });
  expect([status, stderr]).toEqual([1, expect.stringMatching(expected)]);
});

function withWrongPassword(address: string): string {
  const url = new URL(address);
  url.password = 'wrong';
  return url.href;
}

it('says what the role of another app lacks', async () => {
  const url = new URL(tables.url);
  url.username = 'subscriber_migration';
  url.password = 'migration';
  url.searchParams.set('options', '-c search_path=public');
  const { status, stderr } = await runCommand(['sinks', 'list'], { DATABASE_URL: url.href });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^The database lacks the migrations of this release/),
  ]);
});
