import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BREACHED, CONFIG, createExample, DEEPER, RESTORED, rowsOf, runWith } from './support/example.js';
import { runCommand } from './support/run-command.js';
import type { SubscriberTables } from './support/subscriber-tables.js';

let tables: SubscriberTables;

beforeAll(async () => {
  tables = await createExample();
});
afterAll(() => tables.close());

const run = (...args: string[]) => runWith(tables, args);

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
  [['deliveries', 'skip', '--state', 'withheld'], /One of pending, parked/],
  [['sinks', 'disable', ''], /A text of 1 to 200 characters/],
  [['replay', '--sink', 'a', '--since', '999999999d'], /A time with its zone/],
  [
    ['sinks', 'enable', 'a', '--comment', 'x'.repeat(5_000)],
    /argument 'x{99}…' is invalid\. A text of 1 to 2000/,
  ],
])('refuses %j', async (args, stderr) => {
  const { status, ...output } = await run(...args);
  expect([status, output.stderr]).toEqual([1, expect.stringMatching(stderr)]);
});
