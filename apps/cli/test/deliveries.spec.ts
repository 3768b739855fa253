import { BREACH, BREACHED, CONFIG, createExample, DEEPER, RESTORED, rowsOf } from './support/example.js';
import { startApi, type RunningApi } from './support/running-api.js';
import { addEvent, type SubscriberTables } from './support/subscriber-tables.js';

const GROUPED = 'dddddd44-0000-4000-8000-000000000004';
const DIGEST = '7d8f4a1e-3f0c-4a53-9b1a-52f1f0f0c9d1';
const OBEYED = /(?!\n)[\p{Cc}\p{Cf}]/u;

let tables: SubscriberTables;
let api: RunningApi;

beforeAll(async () => {
  tables = await createExample();
  api = await startApi(tables);
  await tables.admin.query(
    `INSERT INTO quarantine (channel, message_id, sender, signature, appended_at_nanos, reason, detail, payload, payload_bytes, quarantined_at)
     VALUES ('a.channels.b', 'm1', 'did:ethr:0x1111111111111111111111111111111111111111', '0xab', 1772417731050000000, 'signer-mismatch',
       E'another key\\u001b[2J', E'{"a":"\\u001b"}', 9, '2026-03-02T00:00:00Z')`,
  );
  const archivedAt = '2026-01-04T00:00:00Z';
  await addEvent(tables.admin, GROUPED, {
    type: 'settlementbus.margin.restored.v1',
    archivedAt,
    sinks: ['mail'],
  });
  await tables.admin.query(
    `UPDATE delivery SET withheld = 'grouped', delivered_at = now(), digest_id = '${DIGEST}', created_at = '${archivedAt}' WHERE event_id = '${GROUPED}'`,
  );
  await tables.admin.query(
    `INSERT INTO delivery (event_id, sink, kind, subject, sequence, archive_offset, about_event_id, details, created_at)
     SELECT '${DIGEST}', sink, 'notice', 'sink/mail', '', archive_offset, event_id, '{"delivery": "digest", "count": 1}', created_at
     FROM delivery WHERE event_id = '${GROUPED}'`,
  );
});
afterAll(async () => {
  await api.stop();
  await tables.close();
});

describe('busbridge deliveries', () => {
  const list = async (line: string): Promise<{ rows: string[][]; next: string | undefined }> => {
    const { stdout } = await api.run('deliveries', 'list', '--json', ...line.split(' ').filter(Boolean));
    const { items, next } = JSON.parse(stdout) as {
      items: { eventId: string; sink: string; state: string }[];
      next?: string;
    };
    return { rows: items.map(({ eventId, sink, state }) => [eventId, sink, state]), next };
  };

  it('lists them in pages, what was added last comes first', async () => {
    const first = await list('--limit 5');
    const rest = await list(`--cursor ${first.next}`);
    expect(rest.next).toBeUndefined();
    expect([...first.rows, ...rest.rows].toSorted()).toEqual(
      [
        [RESTORED, 'log', 'delivered'],
        [RESTORED, 'treasury', 'pending'],
        [DEEPER, 'log', 'delivered'],
        [DEEPER, 'treasury', 'parked'],
        [BREACHED, 'log', 'delivered'],
        ['reminder', 'log', 'withheld'],
        [BREACHED, 'treasury', 'pending'],
        [GROUPED, 'mail', 'withheld'],
        [DIGEST, 'mail', 'pending'],
      ].toSorted(),
    );
    expect(first.rows[0]).toEqual(['reminder', 'log', 'withheld']);
  });

  it.each([
    ['--state parked', [DEEPER]],
    ['--sink treasury --since 2026-01-02T00:00:00Z --until 2026-01-02T08:00:01+08:00', [DEEPER]],
    ['--sink log --type margin.restored --participant WPGENCO', [RESTORED]],
    ['--since 1d', ['reminder']],
    ['--sink log --problem aaaaaa11', [DEEPER, BREACHED]],
    [`--sink log --event ${BREACHED.slice(0, 8)}`, ['reminder', BREACHED]],
  ])('lists with %s', async (line, expected) => {
    expect((await list(line)).rows.map(([eventId]) => eventId)).toEqual(expected);
  });

  it('prints a table', async () => {
    const { stdout } = await api.run('deliveries', 'list', '--state', 'withheld', '--sink', 'log');
    expect(rowsOf(stdout)).toEqual([
      [
        'reminder',
        expect.anything(),
        'log',
        'withheld (muted)',
        'reminder',
        'info',
        'margin.breached',
        'WPGENCO',
        '0',
      ],
    ]);
  });

  it('shows those of an event with every attempt', async () => {
    const { stdout } = await api.run('deliveries', 'show', DEEPER.slice(0, 8), '--sink', 'treasury');
    expect(stdout).toMatch(
      /treasury +parked[^]*Attempts[^]*treasury +1 +12 +rejected +422 +no\\u001b\[2J such field/,
    );
    expect(stdout).not.toMatch(OBEYED);
  });

  it.each([
    ['show ffffff', 1, /^There is no delivery of ffffff\. "busbridge deliveries list" shows the ids/],
    ['show 000000', 1, /^Several events begin with 000000: 00000001-\S+, 00000002-\S+, 00000003-\S+\. Give/],
    ['list --problem ffffff', 1, /^There is no such problem/],
    ['list --type margin.breach', 2, /^--type must be an event type/],
    [
      'list --since yesterday',
      2,
      /A time with its zone, such as 2026-01-31T16:00:00\+08:00, a day of the market, 2026-01-31, or how long ago/,
    ],
    ['list --since 2026-02-31T00:00:00Z', 2, /is invalid\. A time with its zone/],
    ['skip --state withheld', 2, /One of pending, parked/],
    ['resend --sink log', 2, /^Say which deliveries: with --event, --state, --type or --since\.\n$/],
    [
      'resend --event ffffff',
      2,
      /^--event must be ids of events .*: none begins with ffffff\. "busbridge deliveries list" lists them\.\n$/,
    ],
    ['resend --since 1h --until 2h', 2, /^--until must be after since/],
  ])('%s is refused with status %d', async (line, status, stderr) => {
    expect(await api.run('deliveries', ...line.split(' '))).toEqual({
      status,
      stdout: '',
      stderr: expect.stringMatching(stderr) as string,
    });
  });
});

describe('a request', () => {
  it.each([
    [
      'deliveries resend --state parked --state withheld --comment ready',
      { kind: 'resend', parameters: { states: ['parked', 'withheld'] }, comment: 'ready' },
      { changed: 7 },
      '7 deliveries are pending again.\n',
    ],
    [
      `deliveries skip --event ${BREACHED.slice(0, 8)} --event ${DEEPER}`,
      { kind: 'skip', parameters: { ids: [BREACHED, DEEPER] } },
      { changed: 0 },
      'No delivery that can be skipped matches; nothing was changed.\n',
    ],
    [
      'replay --sink treasury --since 2026-01-01T08:00:00+08:00 --participant WPGENCO --type margin.breached',
      {
        kind: 'replay',
        parameters: {
          sink: 'treasury',
          since: '2026-01-01T00:00:00.000Z',
          participants: ['WPGENCO'],
          types: ['settlementbus.margin.breached.v1'],
        },
      },
      { changed: 1 },
      '1 delivery is added. Nothing is sent while treasury is disabled: "busbridge sinks enable treasury".\n',
    ],
    [
      'sinks test treasury',
      { kind: 'test', parameters: { sink: 'treasury' } },
      { outcome: 'delivered', status: 204, durationMs: 3 },
      'outcome  delivered\nstatus   204\nms       3\n',
    ],
    [
      'sinks test treasury',
      { kind: 'test' },
      { outcome: 'unreachable', description: 'unreachable: no token', durationMs: 3 },
      'outcome  unreachable\nreason   unreachable: no token\nms       3\n',
      1,
    ],
    [
      'sinks disable treasury --comment maintenance',
      { kind: 'disable-sink', parameters: { sink: 'treasury' }, comment: 'maintenance' },
      { changed: false },
      'The sink treasury is disabled already.\n',
    ],
    [
      'quarantine recheck',
      { kind: 'recheck-quarantine' },
      { evaluated: 3, released: 1, stillQuarantined: 2 },
      'evaluated 3, released 1, still quarantined 2\n',
    ],
  ])('%s', async (line, expected, result, stdout, status = 0) => {
    const { request, ...ended } = await api.carryOut(line.split(' '), 'done', result);
    expect(request).toMatchObject({ ...expected, author: 'olivia', database_role: 'api' });
    expect(ended).toEqual({ status, stdout, stderr: '' });
  });

  it('says why it was refused, and is listed and shown with its audit', async () => {
    const reason = 'It has no sink none.';
    const ended = await api.carryOut(['sinks', 'enable', 'none'], 'refused', { reason });
    expect(ended).toMatchObject({ status: 1, stdout: '', stderr: `${reason}\n` });
    const { stdout } = await api.run('requests', 'list', '--state', 'refused', '--author', 'olivia');
    const [row = []] = rowsOf(stdout);
    expect(row.toSpliced(1, 1)).toEqual([
      expect.stringMatching(/^[0-9a-f]{8}$/),
      'enable-sink',
      'refused',
      'olivia',
      'sink none',
      reason,
    ]);
    const shown = await api.run('requests', 'show', row[0] ?? '');
    expect(shown.stdout).toMatch(/^result +It has no sink none\.$/m);
    expect(shown.stdout).toMatch(/requested +olivia +api[^]*refused +olivia +\S+ +It has no sink none\./);
  });

  it('without a subscriber stays, and says how to look it up', async () => {
    const { status, stderr } = await api.run('sinks', 'enable', 'treasury', '--wait', '0.1');
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^No subscriber .*"busbridge requests show [0-9a-f-]{36}" shows its state/),
    ]);
  });

  it.each([
    [['sinks', 'disable', 'treasury'], /^Say with --comment why the sink is disabled\.\n$/],
    [['deliveries', 'show', 'abc1'], /^The event id must be an id: give at least /],
    [['events', 'show', 'abc1'], /^The id is too short: /],
    [['problems', 'close', 'abc1', '--comment', 'x'], /^The id is too short: /],
    [['sinks', 'disable', ''], /A text of 1 to 200 characters/],
    [['replay', '--sink', 'a', '--since', '999999999d'], /A time with its zone/],
  ])('%j is wrong usage', async (args, stderr) => {
    expect(await api.run(...args)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(stderr) as string,
    });
  });
});

it('busbridge sinks list', async () => {
  const { stdout } = await api.run('sinks', 'list');
  expect(rowsOf(stdout).map((row) => row.filter((_, at) => at !== 4))).toContainEqual(
    expect.arrayContaining(['treasury', 'disabled', '2', '1', 'jane', 'maintenance']),
  );
});

describe('busbridge quarantine', () => {
  it('lists and shows messages with escaped texts', async () => {
    const { stdout } = await api.run('quarantine', 'list', '--reason', 'signer-mismatch');
    const [[id = '', ...row] = []] = rowsOf(stdout);
    expect(row).toEqual(expect.arrayContaining(['signer-mismatch', 'unknown', 'another key\\u001b[2J']));
    const shown = await api.run('quarantine', 'show', id);
    expect(shown.stdout).toMatch(/^Payload\n\{"a":"\\u001b"\}$/m);
    expect(stdout + shown.stdout).not.toMatch(OBEYED);
    expect((await api.run('quarantine', 'show', '999')).status).toBe(1);
  });
});

it('alerts explain says which silence withholds an event', async () => {
  await tables.admin.query(
    `INSERT INTO silence (silence_id, matchers, starts_at, ends_at, author, comment)
     VALUES (7, '{"participants": ["WPGENCO"]}', '2026-01-01', '2100-01-01', E'jane\\u001b[2J', 'maintenance')`,
  );
  await tables.admin.query(`INSERT INTO silenced_problem (silence_id, problem_id) VALUES (7, '${BREACH}')`);
  const explain = (at: string) =>
    api.run('alerts', 'explain', 'statement.overdue', '--at', at, '--file', CONFIG);
  const silenced = await explain('2026-01-01T12:00:00Z');
  expect(rowsOf(silenced.stdout.slice(silenced.stdout.lastIndexOf('sink  ')))).toEqual(
    ['log', 'treasury'].map((sink) => [
      sink,
      'silenced',
      expect.stringMatching(/^silence [0-9a-f]{8} of jane\\u001b\[2J until 2100-01-01 00:00:00Z$/),
    ]),
  );
  expect((await explain('2025-12-31T23:59:59Z')).stdout).not.toContain('silence');
});

it('deliveries show has an event with its digest', async () => {
  const { stdout } = await api.run('deliveries', 'show', GROUPED.slice(0, 6));
  expect(stdout).toMatch(/^dddddd44 .*mail +in digest 7d8f4a1e /m);
  expect(stdout).toMatch(/^7d8f4a1e .*mail +pending +notice +info +delivery\.digest +\* /m);
});
