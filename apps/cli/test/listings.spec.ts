import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  BREACH,
  BREACHED,
  CONFIG,
  createExample,
  DEEPER,
  RESTORED,
  rowsOf,
  runWith,
} from './support/example.js';
import { PROGRAM, runCommand } from './support/run-command.js';
import type { SubscriberTables } from './support/subscriber-tables.js';

const OBEYED = /(?!\n)[\p{Cc}\p{Cf}]/u;

let tables: SubscriberTables;

beforeAll(async () => {
  tables = await createExample();
});
afterAll(() => tables.close());

const run = (...args: string[]) => runWith(tables, args);

describe('busbridge problems', () => {
  it('lists the open ones, the worst first, and ended ones with --all, with escaped names', async () => {
    const { stdout } = await run('problems', 'list');
    expect(rowsOf(stdout).map((row) => row.slice(0, 7))).toEqual([
      [
        'aaaaaa11',
        'critical',
        'margin',
        'WPGENCO',
        'open',
        '2025-12-31T16:00:00.000Z',
        'BREACHED -120.50 AUD',
      ],
      [
        'aaaaaa22',
        'warning',
        'statement-overdue',
        'WPGENCO',
        'open',
        '2026-01-02T16:00:00.000Z',
        'WPGENCO/\\u001b[2J',
      ],
    ]);
    expect(stdout).not.toMatch(OBEYED);
    const all = await run('problems', 'list', '--all', '--kind', 'margin', '--limit', '1', '--json');
    expect(JSON.parse(all.stdout)).toMatchObject({ problems: [{ problemId: BREACH }], more: true });
    expect((await run('problems', 'list', '--participant', '*')).stdout).toBe(
      'There are no such problems.\n',
    );
    const unknown = await run('problems', 'list', '--participant', 'WPGENC');
    expect(unknown.stderr).toMatch(/^WPGENC is not a participant of CONFIG_FILE, /);
  });

  it('shows a problem with its history, deliveries and attempts', async () => {
    const { stdout } = await run('problems', 'show', 'AAAAAA11');
    expect(stdout).toContain('worst         critical, BREACHED, -120.50 AUD');
    expect(stdout).toMatch(
      /2026-01-02T\S+ +worsened +critical, BREACHED +margin\.breached +00000002-\S+ +tradingMargin -120\.50/,
    );
    expect(stdout).toMatch(/treasury +parked +alert +critical +margin\.breached/);
    expect(stdout).toMatch(/00000002 +treasury +1 +12 +rejected +422 +no\\u001b\[2J such field/);
    expect(stdout).not.toMatch(OBEYED);
  });

  it.each([
    ['aaaaaa', 'Several problems begin with aaaaaa. Give more characters of the id.\n'],
    ['cccccc', 'There is no problem cccccc. "busbridge problems list --all" shows the ids.\n'],
    ['a%', expect.stringMatching(/^a% is not the id of a problem: give at least 6 characters/)],
  ])('refuses the id %s', async (id, stderr) => {
    expect(await run('problems', 'show', id)).toEqual({ status: 1, stdout: '', stderr });
  });

  it('closes only with a comment', async () => {
    expect(await run('problems', 'close', BREACH)).toMatchObject({
      status: 1,
      stderr: 'Say with --comment why the problem is closed.\n',
    });
  });
});

describe('busbridge silences', () => {
  beforeAll(() =>
    tables.admin.query(
      `INSERT INTO silence (silence_id, matchers, starts_at, ends_at, author, comment, ended_at, ended_by) VALUES
         (7, '{"participants": ["WPGENCO"]}', '2026-01-01', '2100-01-01', E'jane\\u001b[2J', 'maintenance', NULL, NULL),
         (8, '{"problems": ["margin"]}', '2026-01-01', '2027-01-01', 'joe', 'done', '2026-01-02', 'joe')`,
    ),
  );

  it('lists those that apply, and ended ones with --all', async () => {
    await tables.admin.query(`INSERT INTO silenced_problem (silence_id, problem_id) VALUES (7, '${BREACH}')`);
    const { stdout } = await run('silences', 'list');
    expect(rowsOf(stdout)).toEqual([
      [
        '7',
        'active',
        '2026-01-01T00:00:00.000Z',
        expect.anything(),
        'participants WPGENCO',
        'jane\\u001b[2J',
        'maintenance',
        'aaaaaa11',
      ],
    ]);
    const all = await run('silences', 'list', '--all', '--json');
    expect(JSON.parse(all.stdout)).toMatchObject({
      silences: [{ silenceId: 8, state: 'ended' }, { silenceId: 7 }],
    });
  });

  it('explains which one withholds an event', async () => {
    const explain = (...args: string[]) => run('alerts', 'explain', ...args, '--file', CONFIG, '--json');
    const silenced = await explain('statement.overdue', '--at', '2026-01-01T12:00:00Z');
    expect(JSON.parse(silenced.stdout)).toMatchObject({
      withheld: ['log', 'treasury'].map((sink) => ({ sink, reason: 'silenced' })),
    });
    expect(silenced.stdout).toContain('silence 7 of jane');
    const before = await explain('statement.overdue', '--at', '2025-12-31T23:59:59Z');
    expect(JSON.parse(before.stdout)).toMatchObject({ withheld: [] });
  });

  it('explains it with the database of a running npm start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'busbridge-'));
    mkdirSync(join(folder, '.data'));
    writeFileSync(join(folder, '.data/requests-database.url'), `${tables.url}\n`);
    const args = ['alerts', 'explain', 'statement.overdue', '--at', '2026-01-01T12:00:00Z', '--file', CONFIG];
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args], {
      cwd: folder,
      env: {},
    });
    expect(stdout).toContain('silence 7 of jane');
    expect(stdout).not.toContain('not read');
    rmSync(folder, { recursive: true });
  });

  it.each([
    [['--for', '1h', '--comment', 'x'], /^Say what the silence covers/],
    [['--participant', 'WPGENCO', '--comment', 'x'], /^Say when the silence ends/],
    [['--participant', 'WPGENCO', '--for', '1h'], /^Say with --comment why/],
  ])('refuses %s', async (args, stderr) => {
    expect(await run('silences', 'add', ...args)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(stderr) as string,
    });
  });
});

describe('busbridge deliveries', () => {
  it('lists them in pages, the newest first, with their states', async () => {
    const first = await run('deliveries', 'list', '--limit', '5', '--json');
    const page = JSON.parse(first.stdout) as {
      deliveries: { eventId: string; sink: string; state: string }[];
      next: string;
    };
    const { stdout } = await run('deliveries', 'list', '--after', page.next, '--json');
    const rest = JSON.parse(stdout) as { deliveries: { eventId: string; sink: string; state: string }[] };
    expect(
      [...page.deliveries, ...rest.deliveries].map(({ eventId, sink, state }) => [eventId, sink, state]),
    ).toEqual([
      [RESTORED, 'log', 'delivered'],
      [RESTORED, 'treasury', 'pending'],
      [DEEPER, 'log', 'delivered'],
      [DEEPER, 'treasury', 'parked'],
      [BREACHED, 'log', 'delivered'],
      ['reminder', 'log', 'withheld'],
      [BREACHED, 'treasury', 'pending'],
    ]);
    expect(rest).not.toHaveProperty('next');
  });

  it.each([
    ['--state parked', [DEEPER]],
    ['--state pending', [RESTORED, BREACHED]],
    ['--state withheld', ['reminder']],
    ['--sink treasury --since 2026-01-02T00:00:00Z --until 2026-01-02T08:00:01+08:00', [DEEPER]],
    ['--sink log --type margin.restored --participant WPGENCO', [RESTORED]],
    ['--since 1d', ['reminder']],
    ['--sink log --problem aaaaaa11', [DEEPER, BREACHED]],
    ['--type margin.* --sink treasury --since 2026-01-02T00:00:00Z', [RESTORED, DEEPER]],
    ['--sink log --type payment.*', []],
  ])('lists with %s', async (filters, expected) => {
    const { stdout } = await run('deliveries', 'list', '--json', ...filters.split(' '));
    const { deliveries } = JSON.parse(stdout) as { deliveries: { eventId: string }[] };
    expect(deliveries.map(({ eventId }) => eventId)).toEqual(expected);
  });

  it('shows those of an event with every attempt', async () => {
    const { stdout } = await run('deliveries', 'show', DEEPER.slice(0, 8), '--sink', 'treasury');
    expect(stdout).toMatch(/treasury +parked[^]*treasury +1 +12 +rejected +422/);
    expect(await run('deliveries', 'show', 'ffffff')).toMatchObject({
      status: 1,
      stderr: 'There is no event ffffff. "busbridge deliveries list" shows the ids of events.\n',
    });
  });

  it.each([
    ['list --since 1h --until 2h', /^--since \S+Z is not before --until \S+Z\. Give the earlier time/],
    ['resend --since 1h --until 2h', /^--since \S+Z is not before --until/],
    ['list --participant OTHER', /^OTHER is not a participant of CONFIG_FILE, .* participants: WPGENCO\.\n$/],
    ['skip --event ffffff --participant OTHER', /^OTHER is not a participant of CONFIG_FILE/],
    ['list --sink tresury', /^The sink tresury is not in CONFIG_FILE, .* Give one of log, treasury\.\n$/],
    ['resend --event ffffff', /^There is no event ffffff\. /],
    [
      'resend --event 000000',
      /^Several events begin with 000000: 00000001-\S+, 00000002-\S+, 00000003-\S+\. Give/,
    ],
    [`resend --event ${'x'.repeat(61)}`, /^x{59}… is not the id of an event: give at least 6 characters/],
    ['list --type margin.breach', /No event type matches\. The nearest type is margin\.breached\./],
    ['resend --type *.none', /No event type matches\. Give one of statement\.published, /],
    ['list --since 999999999d', /argument '999999999d' is invalid\. A time with its zone/],
    ['list --since 2026-02-31T00:00:00Z', /is invalid\. A time with its zone/],
  ])('%s is refused', async (line, stderr) => {
    const { status, stdout, ...output } = await run('deliveries', ...line.split(' '));
    expect([status, stdout]).toEqual([1, '']);
    expect(output.stderr).toMatch(stderr);
  });
});

it('busbridge sinks list', async () => {
  const { stdout } = await run('sinks', 'list');
  expect(rowsOf(stdout)).toEqual([
    ['treasury', 'disabled', '2', '1', '2026-01-05T00:00:00.000Z', 'jane', 'maintenance'],
  ]);
});

it('busbridge sinks list with CONFIG_FILE, which does not have every sink', async () => {
  const sinkOf = async (file: string) => {
    const { stdout } = await runCommand(['sinks', 'list'], { DATABASE_URL: tables.url, CONFIG_FILE: file });
    return rowsOf(stdout).map((row) => row.slice(0, 4));
  };
  const folder = mkdtempSync(join(tmpdir(), 'sinks-'));
  const without = join(folder, 'bridge.yaml');
  writeFileSync(without, readFileSync(CONFIG, 'utf8').replaceAll('treasury', 'desk'));
  expect(await sinkOf(CONFIG)).toEqual([['treasury', 'disabled', '2', '1']]);
  expect(await sinkOf(without)).toEqual([['treasury', 'not in CONFIG_FILE', '2', '1']]);
  rmSync(folder, { recursive: true });
});

it.each([
  [
    ['deliveries', 'resend', '--sink', 'a'],
    /^Say which deliveries: with --event, --state, --type or --since\.\n$/,
  ],
  [
    ['deliveries', 'list', '--since', 'yesterday'],
    /A time with its zone, such as 2026-01-31T16:00:00\+08:00, or how long ago/,
  ],
  [['problems', 'list', '--limit', '0'], /A whole number from 1 to 1000/],
  [['deliveries', 'skip', '--state', 'withheld'], /One of pending, parked/],
  [['silences', 'add', '--for', '0s'], /A silence lasts at least 1s\./],
  [['silences', 'add', '--type', 'margin.breach'], /The nearest type is margin\.breached\./],
  [['sinks', 'disable', ''], /A text of 1 to 200 characters/],
  [['replay', '--sink', 'a', '--since', '999999999d'], /A time with its zone/],
  [
    ['sinks', 'enable', 'a', '--comment', 'x'.repeat(5_000)],
    /argument 'x{99}…' is invalid\. A text of 1 to 2000/,
  ],
  [['problems', 'list', '--state', 'new'], /One of open, acknowledged, resolved, closed/],
])('refuses %j', async (args, stderr) => {
  const { status, ...output } = await run(...args);
  expect([status, output.stderr]).toEqual([1, expect.stringMatching(stderr)]);
});

it('shows the detail and the action of a fault whole, and no count as the worst figure', async () => {
  const detail = `It lasts${' and lasts'.repeat(40)}.`;
  await tables.admin.query(
    `INSERT INTO problem (problem_id, kind, key, participant, state, severity, worst_severity, level, worst_level, closed_by_person, since,
       opened_at, changed_at, worsened, figures, worst_figures, worst_measure, event_id, archive_offset, ended_at)
     VALUES ('cccccc44-0000-4000-8000-000000000004', 'bridge-fault', 'poller/clock-offset', '*', 'open', 'warning', 'warning', NULL, NULL, false,
       '2026-01-03T00:00:00Z', now(), now(), 0, $1::jsonb, '{}', '1', 'e', 1, NULL)`,
    [JSON.stringify({ count: '1', detail, action: 'Repair the clock.' })],
  );
  const { stdout } = await run('problems', 'show', 'cccccc44');
  expect(stdout).toContain(
    `\nfigures       count 1\ndetail        ${detail}\naction        Repair the clock.\n`,
  );
  expect(stdout).toMatch(/^worst +warning$/m);
  const listed = await run('problems', 'list', '--kind', 'bridge-fault');
  expect(rowsOf(listed.stdout)[0]).toEqual([
    'cccccc44',
    'warning',
    'bridge-fault',
    '*',
    'open',
    '2026-01-03T00:00:00.000Z',
    'poller/clock-offset',
  ]);
});
