import { toMarketTime } from '@ssb/events';
import { startScriptedServer } from '@ssb/testing';
import { archiveEvent, exampleEvent, uuidOf } from '@ssb/testing/archived-events';
import { rowsOf } from './support/example.js';
import { runCommand } from './support/run-command.js';
import { startApi, type RunningApi } from './support/running-api.js';
import { createSubscriberTables, type SubscriberTables } from './support/subscriber-tables.js';

const DAY_MS = 86_400_000;
const NOW = Date.now();
/** A time of the market, some days from now. */
const marketTime = (days: number): string => toMarketTime(new Date(NOW + days * DAY_MS)).slice(0, 19);
const MISSING_SINCE = marketTime(-3);
const marketDay = (days: number): string => marketTime(days).slice(0, 10);

const MISSING = '2 settlement runs are overdue, so amounts may be missing: busbridge open-items';

let tables: SubscriberTables;
let api: RunningApi;

/** In a terminal of this width. */
const runIn = (columns: number, ...args: string[]) =>
  runCommand(args, {
    ...{ BUSBRIDGE_URL: api.url, BUSBRIDGE_TOKEN: api.tokens.olivia, COLUMNS: String(columns) },
  });

const archive = (
  type: string,
  name: string,
  data: Readonly<Record<string, unknown>>,
  participant = 'WPGENCO',
): Promise<string> => {
  const subject = String(exampleEvent(type)['subject']).replace('ALPHA', participant);
  return archiveEvent(tables.admin, type, { event: { id: uuidOf(name), participant, subject }, data });
};

const issue = (id: string, designation: string, figures: Readonly<Record<string, string>>): Promise<string> =>
  archive('invoice.issued', id, {
    ...{ id, designation, invoiceDate: marketDay(-1) },
    // As events of earlier releases: CONFIG_FILE decides.
    ...{ direction: undefined, ...figures },
  });

async function calculate(
  name: string,
  tradingMargin: string,
  forecastDay?: string,
  participant?: string,
): Promise<void> {
  const data = {
    calculatedAt: marketTime(-0.05),
    tradingMargin,
    ...(forecastDay === undefined
      ? { tradingDay: `${marketDay(0)}T00:00:00` }
      : { tradingDay: `${forecastDay}T00:00:00`, isForecast: true }),
  };
  await archive('position.calculated', name, data, participant);
}

beforeAll(async () => {
  tables = await createSubscriberTables();
  await calculate('present', '1234567.00000001');
  await calculate('tomorrow', '300000', marketDay(1));
  await calculate('later', '240000.5', marketDay(2));
  await archive('statement.published', 'statement', { publishedAt: marketTime(-2) });
  await archive('statement.overdue', 'overdue', {
    designation: 'ADJ1',
    overdueSince: marketTime(-50),
    statementDate: marketDay(-51),
  });
  await archive('invoice.overdue', 'missing', { designation: 'ADJ2', overdueSince: MISSING_SINCE });
  await issue('INV-1', 'INITIAL', { dueDate: marketDay(3), payableAmount: '1126.15' });
  await issue('INV-2', 'ADJ3', { dueDate: marketDay(3), payableAmount: '100.05' });
  await issue('INV-3', 'FINAL', { dueDate: '9999-12-31', payableAmount: '-12345678901234567890.10' });
  api = await startApi(tables);
});
afterAll(async () => {
  await api.stop();
  await tables.close();
});

describe('busbridge positions', () => {
  it('answers whether the margin is fine, with every digit', async () => {
    const { stdout } = await api.run('positions');
    expect(stdout).toMatch(
      /^WPGENCO is fine: its margin of 1,234,567\.00000001 is 984,567\.00000001 above the warning threshold of 250,000\.00\.\nA forecast is below the warning threshold\.\n/,
    );
    expect(stdout).toMatch(/^breach below +0\.00 \(the margin is 1,234,567\.00000001 above it\)$/m);
    expect(stdout).toMatch(/^outstanding +750,000\.00000001$/m);
    expect(stdout).toMatch(/^calculated +\S+ \S+Z \(7[2-9] min ago\)$/m);
    expect(stdout).toContain(`240,000.5 on ${marketDay(2)}\n`);
  });

  it('has the times of the market in UTC, as events have', async () => {
    const { stdout } = await api.run('events', 'show', uuidOf('tomorrow'));
    expect(stdout).toMatch(/^data calculatedAt +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/m);
    expect(stdout).toMatch(new RegExp(`^data tradingDay +${marketDay(1)}$`, 'm'));
  });

  it('does not call a position fine that is too old, and is red when it is breached', async () => {
    await tables.admin.query(
      `INSERT INTO problem (problem_id, kind, key, participant, state, severity, worst_severity, closed_by_person, since, opened_at, changed_at,
         figures, worst_figures, event_id, archive_offset)
       VALUES ('${uuidOf('stale')}', 'position-stale', 'WPGENCO/position', 'WPGENCO', 'open', 'warning', 'warning', false, now(), now(), now(),
         '{}', '{}', '${uuidOf('present')}', 1)`,
    );
    expect((await api.run('positions')).stdout).toMatch(
      /^WPGENCO is not known: no calculation since \S+ \S+Z, when its margin of 1,234,567\.00000001 is/,
    );
    await tables.admin.query('DELETE FROM problem');
    await archive('margin.breached', 'breach', {});
    const { stdout } = await api.run('positions', '--participant', 'WPGENCO');
    expect(stdout).toMatch(/^WPGENCO is BREACHED: .* above the breach threshold of 100,000\.\n/);
  });

  it('has the series of all participants as CSV, which the API gives in several pages', async () => {
    for (const participant of ['AGAS', 'BGAS', 'ZGAS'])
      await calculate(participant, '5', undefined, participant);
    const read = (...args: string[]) => api.run('positions', 'list', '--since', '2d', '-o', 'csv', ...args);
    const { stdout, stderr } = await read();
    const [head, ...records] = stdout.trimEnd().split('\r\n');
    expect(head).toMatch(/^participant,isForecast,from,/);
    const participants = records.map((record) => record.split(',')[0]);
    expect([...new Set(participants)]).toEqual(['AGAS', 'BGAS', 'WPGENCO', 'ZGAS']);
    expect(stderr).toBe('');
    const three = await read('--limit', '3');
    expect(three.stdout).not.toContain('ZGAS');
    expect(three.stderr).toMatch(/^There are more rows: raise --limit, or continue with --cursor /);
  });
});

describe('busbridge calendar', () => {
  it('lists what was published this week: statements and invoices with amounts', async () => {
    const { stdout } = await api.run('calendar', '--published', '--since', '7d');
    expect(stdout).toMatch(
      new RegExp(
        `^Statements\npublished .*\n.*\n${marketDay(-2)} +WPGENCO +WEM +2026-03-01 +INITIAL +18,250\\.397825 +412\\.06`,
      ),
    );
    expect(stdout).toMatch(
      new RegExp(
        `^${marketDay(-1)} +WPGENCO +WEM +2026-03-01 +INITIAL +pay 1,126\\.15 +${marketDay(3)}`,
        'm',
      ),
    );
    const { stdout: csv } = await api.run('calendar', '--published', '--since', '7d', '-o', 'csv');
    const records = csv.split('\r\n').map((line) => line.split(','));
    expect([records[0]?.slice(0, 2), records.slice(1, -1).map(([what]) => what)]).toEqual([
      ['what', 'participant'],
      ['statement', 'invoice', 'invoice', 'invoice'],
    ]);
    const nothing = await api.run('calendar', '--published', '--since', '1h', '--json', '--market', 'STEM');
    expect(JSON.parse(nothing.stdout)).toEqual({
      statements: [],
      moreStatements: false,
      invoices: [],
      moreInvoices: false,
    });
  });

  it('lists what is overdue and since when, however long ago', async () => {
    const { stdout } = await api.run('calendar', '--overdue');
    expect(
      rowsOf(stdout)
        .slice(0, -1)
        .map((row) => row.slice(3, 5))
        .sort(),
    ).toEqual([
      ['ADJ1', 'statement'],
      ['ADJ2', 'invoice'],
    ]);
    expect(stdout).toContain(new Date(`${MISSING_SINCE}+08:00`).toISOString().slice(0, 16).replace('T', ' '));
  });

  it('keeps in a narrow terminal what names a row, and at 120 columns the last day to disagree', async () => {
    const { stdout } = await runIn(80, 'calendar', '--by', 'payment', '--until', '+4d');
    expect(stdout).toMatch(/^WEM +2026-03-01 +INITIAL +\w+ +pay 1,126\.15 .* \w{8}$/m);
    expect((await runIn(80, 'calendar', '--published', '--since', '7d')).stdout).toMatch(/ WEM +2026-03-01 /);
    expect((await runIn(120, 'calendar', '--by', 'published', '--since', '7d')).stdout).toContain(
      'disagree until',
    );
    const invoices = await runIn(80, 'invoices', '--due-until', '+4d');
    expect(invoices.stdout).toMatch(/ WEM +2026-03-01 +INITIAL +INV-1/);
    expect(invoices.stdout).toMatch(/Left out at this width: .*statement id/);
  });

  it('refuses days that nothing can match', async () => {
    for (const args of [['calendar'], ['calendar', '--published']])
      expect(await api.run(...args, '--since', '2026-03-02', '--until', '2026-03-02')).toMatchObject({
        status: 2,
        stderr: '--since (2026-03-02) must be before --until (2026-03-02), which is not in the listing.\n',
      });
    expect((await api.run('payments', '--due-until', '2d')).stderr).toBe(
      `--due-since (${marketDay(0)}, by default) must be before --due-until (${marketDay(-2)}), which is not in the listing.\n`,
    );
  });

  it.each([
    [['listed'], /Allowed choices are list\./],
    [
      ['--since', 'yesterday'],
      /^--since must be a day of the market such as 2026-03-19, or a time from now: 7d .*\+7d/,
    ],
    [
      ['--published', '--overdue'],
      /cannot be used with option '--overdue'\n"busbridge calendar --help" shows what is allowed\.\n$/,
    ],
  ])('refuses %j', async (args, stderr) => {
    expect(await api.run('calendar', ...args)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(stderr) as string,
    });
  });

  it('a run of it has the versions of its statement, found by its shortened id or an event', async () => {
    const list = await api.run('calendar', '--by', 'published', '--json');
    const { items } = JSON.parse(list.stdout) as { items: { id: string }[] };
    const id = items[0]?.id ?? '';
    const { stdout } = await api.run('statements', 'show', id.slice(0, 8));
    expect(stdout).toMatch(/^run +WPGENCO WEM 2026-03-01 INITIAL$/m);
    expect(stdout).toMatch(/^2026-03-02 +Energy trading – balancing +payment +6,215\.88$/m);
    expect((await api.run('statements', 'show', uuidOf('statement'))).stdout).toBe(stdout);
    expect(await api.run('statements', 'show', 'ffffff')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^There is no such statement/) as string,
    });
  });
});

describe('busbridge statements differences', () => {
  beforeAll(async () => {
    await archive('statement.revised', 'revision', {
      ...{ designation: 'INITIAL', publishedAt: marketTime(-1), disagreeUntil: marketDay(20) },
      variables: [
        {
          ...{ tradingDay: '2026-03-01T00:00:00', variable: 'Energy trading – balancing', pOrC: 'P' },
          ...{ gstApplicable: 'Y', value: '12034.517825' },
        },
        {
          ...{ tradingDay: '2026-03-02T00:00:00', variable: 'Energy trading – balancing', pOrC: 'P' },
          ...{ gstApplicable: 'Y', value: '123456789012345.12345678' },
        },
      ],
    });
  });

  it('the calendar has the last day to disagree, first the earliest, with --disagree', async () => {
    // CONFIG_FILE does not name this participant, so the day is that of the event.
    const day = { designation: 'FINAL', publishedAt: marketTime(-2), disagreeUntil: marketDay(0) };
    await archive('statement.published', 'disputable', day, 'XGAS');
    const { stdout } = await api.run('calendar', '--disagree');
    const [row, next] = rowsOf(stdout);
    expect(row?.slice(0, 5)).toEqual([marketDay(0), 'XGAS', 'WEM', '2026-03-01', 'FINAL']);
    expect(next?.slice(1, 5)).toEqual(['WPGENCO', 'WEM', '2026-03-01', 'INITIAL']);
    const first = await api.run('calendar', '--disagree', '--limit', '1', '--json');
    expect(JSON.parse(first.stdout)).toMatchObject({ items: [{ designation: 'FINAL' }], more: true });
    expect((await api.run('calendar', '--disagree', '--market', 'STEM')).stdout).toBe(
      'No statement can be disputed any more.\n',
    );
  });

  it('a run says when it was revised, and where the differences are', async () => {
    const { stdout } = await api.run('statements', 'show', uuidOf('revision'));
    expect(stdout).toMatch(/^published .*\nrevised +\S+ \S+Z$/m);
    expect(stdout).toMatch(/^What differs: busbridge statements differences \w{8}$/m);
    expect((await api.run('calendar', '--by', 'published', '--since', '7d')).stdout).toMatch(/ revised /);
  });

  it('a large statement names the commands that have the rest', async () => {
    const summary = { count: 100_000, sha256: 'ab'.repeat(32), source: { path: '/statements/1' } };
    await archive('statement.published', 'large', {
      ...{ designation: 'REVISED', variables: undefined, variablesSummary: summary },
    });
    const { stdout } = await api.run('statements', 'show', uuidOf('large'));
    expect(stdout).toMatch(/^What differs: busbridge statements differences \w{8}$/m);
    expect(stdout).toContain(`\nAll variables: busbridge records get ${summary.sha256}\n`);
  });

  it('has the largest first, with every digit and exact sums', async () => {
    const { stdout } = await api.run('statements', 'differences', uuidOf('revision'));
    expect(stdout).toMatch(/^before +INITIAL, run 4711, published .*Z, event \w{8}$/m);
    expect(stdout).toMatch(
      /^payment +18,250\.397825 +123,456,789,024,379\.64128178 +123,456,789,006,129\.24345678$/m,
    );
    expect(stdout).toMatch(/^charge +412\.06 +0 +-412\.06$/m);
    expect(stdout).toMatch(/^net +17,838\.337825 +\S+ +123,456,789,006,541\.30345678$/m);
    const [, , table = ''] = stdout.split('\n\n');
    const [title, , , ...rows] = table.trimEnd().split('\n');
    expect(title).toBe('2 differences');
    expect(rows.map((row) => row.split(/  +/))).toEqual([
      [
        ...['2026-03-02', 'Energy trading – balancing', 'payment', 'Y'],
        ...['6,215.88', '123,456,789,012,345.12345678', '123,456,789,006,129.24345678', '100.00 %'],
      ],
      ['2026-03-02', 'Market fees', 'charge', 'N', '412.06', '-412.06', '0.00 %'],
    ]);
  });

  it('is JSON and CSV too, in parts', async () => {
    const { stdout } = await api.run(
      'statements',
      'differences',
      uuidOf('revision'),
      '--limit',
      '1',
      '--json',
    );
    const page = JSON.parse(stdout) as { next: string };
    expect(page).toMatchObject({
      count: 2,
      totals: { net: { difference: '123456789006541.30345678' } },
      items: [{ after: '123456789012345.12345678' }],
    });
    const args = ['statements', 'differences', uuidOf('revision'), '--cursor', page.next, '-o', 'csv'];
    expect((await api.run(...args)).stdout.split('\r\n')).toEqual([
      'tradingDay,variable,pOrC,gstApplicable,before,after,difference,share',
      '2026-03-02,Market fees,C,N,412.06,,-412.06,0.00',
      '',
    ]);
  });

  it('says what it cannot be compared with', async () => {
    const args = ['statements', 'differences', uuidOf('revision'), '--against', uuidOf('revision')];
    expect(await api.run(...args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('another version') as string,
    });
  });
});

it('busbridge invoices says what is paid and received from today on, with totals by day and market', async () => {
  await issue('INV-0', 'ADJ4', { dueDate: marketDay(-1), payableAmount: '5' });
  const { stdout } = await api.run('invoices', 'list');
  const [table = '', totals = ''] = stdout.split('\n\n');
  expect(rowsOf(table).map((row) => row.slice(0, 3))).toEqual(
    expect.arrayContaining([[marketDay(3), 'pay', '1,126.15']]),
  );
  expect(table).toMatch(
    /\nAmounts in AUD\. Days in market time \(UTC\+8\)\.\nPDFs: busbridge documents get <invoice> --out <file>$/,
  );
  expect(totals.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['Totals by due date'],
    ['due', 'market', 'payable', 'receivable', 'net', 'invoices'],
    expect.any(Array),
    [marketDay(3), 'WEM', '1,226.20', '0', '-1,226.20', '2'],
    ['9999-12-31', 'WEM', '0', '12,345,678,901,234,567,890.10', '12,345,678,901,234,567,890.10', '1'],
    ['all', 'all', '1,226.20', '12,345,678,901,234,567,890.10', '12,345,678,901,234,566,663.90', '3'],
    [MISSING],
    [''],
  ]);
  const past = await api.run('invoices', '--due-since', '7d', '--due-until', marketDay(0), '--json');
  expect(JSON.parse(past.stdout)).toMatchObject({ items: [{ number: 'INV-0', dueDate: marketDay(-1) }] });
  // A status alone has no first day.
  expect((await api.run('invoices', '--status', 'overdue')).stdout).toMatch(/ADJ2/);
  expect((await api.run('invoices', '--status', 'reversed')).stdout).toMatch(/^No invoices match\.\n/);
});

it('busbridge payments has the totals alone, and as JSON and CSV with every digit', async () => {
  const figures = { payableAmount: '-0.00000001', market: 'NSTEM', invoiceDate: marketDay(0) };
  await issue('INV-4', 'REVISED', { dueDate: marketDay(3), ...figures });
  const { stdout } = await api.run('payments', '--due-until', '9999-01-01');
  expect(rowsOf(stdout)).toEqual([
    [marketDay(3), 'NSTEM', '0', '0.00000001', '0.00000001', '1'],
    [marketDay(3), 'WEM', '1,226.20', '0', '-1,226.20', '2'],
    [marketDay(3), 'all', '1,226.20', '0.00000001', '-1,226.19999999', '3'],
    ['Amounts in AUD. Days in market time (UTC+8).'],
    [MISSING],
  ]);
  const soon = await api.run('payments', '--due-since', '+2d', '--due-until', '+4d');
  expect(rowsOf(soon.stdout)[0]?.slice(0, 2)).toEqual([marketDay(3), 'NSTEM']);
  const json = await api.run('payments', '--json', '--limit', '1');
  expect(JSON.parse(json.stdout)).toMatchObject({
    items: [{ dueDate: marketDay(3), net: '-1226.19999999', markets: [{ market: 'NSTEM' }, {}] }],
    next: marketDay(3),
    total: { currency: 'AUD', receivable: '12345678901234567890.10000001' },
  });
  const csv = await api.run('payments', '-o', 'csv', '--market', 'NSTEM');
  expect(csv.stdout).toMatch(new RegExp(`\r\n${marketDay(3)},NSTEM,AUD,0,0\\.00000001,`));
  expect((await api.run('payments', '--due-since', '9999-12-31', '--market', 'STEM')).stdout).toMatch(
    /^No payments match\.\n/,
  );
  expect(await api.run('payments', '--due-since', 'thursday')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^--due-since must be a day of the market such as 2026-03-19/) as string,
  });
});

it('busbridge invoices can have the newest publication first', async () => {
  const { stdout } = await api.run('invoices', '--order', 'published', '--json');
  const { items } = JSON.parse(stdout) as { items: { number: string; currency: string }[] };
  expect(items.map(({ number, currency }) => `${number} ${currency}`)[0]).toBe('INV-4 AUD');
});

it('busbridge invoices says that overdue runs could not be read, with the status of the error', async () => {
  const { stdout: body } = await api.run('invoices', '--json');
  const partial = await startScriptedServer();
  partial.respond = ({ url }) =>
    url?.startsWith('/v1/invoices') === true
      ? { body }
      : { status: 503, body: '{"detail": "The database does not respond."}' };
  const environment = { BUSBRIDGE_URL: partial.url, BUSBRIDGE_TOKEN: 'any' };
  const { status, stdout } = await runCommand(['invoices'], environment);
  await partial.stop();
  expect(status).toBe(69);
  expect(stdout).toMatch(/ 1,126\.15 /);
  expect(stdout).toMatch(
    /\nOverdue runs could not be read, so it is unknown whether amounts are missing: The database does not respond\.\n$/,
  );
});
