import * as record from './support/records.js';
import { createReportingDatabase } from './support/reporting-database.js';
import { exchange, runReporting, type RunningReporting } from './support/running-reporting.js';

let reporting: RunningReporting;

beforeAll(async () => {
  reporting = await runReporting();
});

afterAll(() => reporting.close());

const STATEMENTS = '/operator/v1/statements';
const PRUDENTIAL = '/operator/v1/prudential';
const INVOICES = '/operator/v1/invoices';

describe('loading', () => {
  it.each([
    ['statements', () => record.statementLoad(100)],
    ['prudential', () => record.prudentialLoad('2026-03-12T11:00:00', '1.10')],
    ['invoices', () => record.invoiceLoad('INV-100', '2026-03-12')],
    ['timelines', () => record.timelineLoad(record.cycle('2026-02-01', ['2026-02-10']))],
  ])('takes %s once: the same again changes nothing', async (path, load) => {
    const first = await reporting.post(`/operator/v1/${path}`, load());
    expect([first.status, first.body]).toEqual([201, '{"loaded":true}']);
    const again = await reporting.post(`/operator/v1/${path}`, load());
    expect([again.status, again.body]).toEqual([200, '{"loaded":false}']);
  });

  it.each([
    ['statements', record.statementLoad(101), record.statementLoad(101).replace('.12345678', '.12345679')],
    [
      'prudential',
      record.prudentialLoad('2026-03-12T12:00:00', '1.10'),
      record.prudentialLoad('2026-03-12T12:00:00', '1.11'),
    ],
    ['invoices', record.invoiceLoad('INV-101', '2026-03-12'), record.invoiceLoad('INV-101', '2026-03-13')],
  ])('refuses to rewrite what was published: %s', async (path, published, other) => {
    await reporting.post(`/operator/v1/${path}`, published);
    expect((await reporting.post(`/operator/v1/${path}`, other)).status).toBe(409);
  });

  it('knows a record again however its JSON is laid out, and by every digit', async () => {
    const load = (digits: string) => record.prudentialLoad('2026-03-12T13:00:00', digits);
    const laidOut = JSON.stringify({
      calculation: { isForecast: false, ...JSON.parse(load('1.5')).calculation },
      participantCode: 'WPGENCO',
    });
    const exact = laidOut.replace('5000000.5', '5000000.50');
    expect((await reporting.post(PRUDENTIAL, load('1.5'))).status).toBe(201);
    expect((await reporting.post(PRUDENTIAL, exact.replaceAll(',', ',\n  '))).status).toBe(200);
    expect((await reporting.post(PRUDENTIAL, load('1.50'))).status).toBe(409);
  });

  it('moves the dates of a cycle that is loaded again', async () => {
    const load = (day: string) =>
      reporting.post('/operator/v1/timelines', record.timelineLoad(record.cycle('2025-05-04', [day])));
    await load('2025-05-10');
    expect((await load('2025-05-11')).status).toBe(201);
    const path = '/api/v2/settlements/timeline?invoiceDateFrom=2025-05-01&invoiceDateTo=2025-05-31';
    expect((await reporting.get(path)).body).toBe(
      `{"data":{"cycles":[${record.cycle('2025-05-04', ['2025-05-11'])}]}}`,
    );
  });

  it('loads all of a timeline or nothing of it', async () => {
    const good = record.cycle('2024-05-05', ['2024-05-10']);
    const bad = record.cycle('2024-05-12', ['2024-05-99']);
    expect((await reporting.post('/operator/v1/timelines', record.timelineLoad(good, bad))).status).toBe(422);
    const path = '/api/v2/settlements/timeline?invoiceDateFrom=2024-05-01&invoiceDateTo=2024-05-31';
    expect((await reporting.get(path)).body).toBe('{"data":{"cycles":[]}}');
  });
});

describe('what is no record', () => {
  it.each([
    [
      'a digit too many',
      STATEMENTS,
      () => record.statementLoad(1).replace('.12345678', '.123456789'),
      'statement.tradingDays[0].variables[0].value',
    ],
    [
      'an unknown property',
      STATEMENTS,
      () => record.statementLoad(1).replace('"runId"', '"extra":1,"runId"'),
      'statement.extra',
    ],
    [
      'a missing one',
      STATEMENTS,
      () => record.statementLoad(1).replace('"pOrC":"P",', ''),
      'statement.tradingDays[0].variables[0].pOrC',
    ],
    [
      'an impossible day',
      PRUDENTIAL,
      () => record.prudentialLoad('2026-02-30T10:00:00', '1.00'),
      'calculation.calculatedAt',
    ],
    [
      'another participant inside',
      PRUDENTIAL,
      () => record.prudentialLoad('2026-03-12T10:00:00', '1.00').replace('WPGENCO', 'OTHER'),
      'calculation.participantCode',
    ],
    [
      'a period upside down',
      STATEMENTS,
      () => record.statementLoad(1).replace('"periodTo":"2026-03-07', '"periodTo":"2026-02-28'),
      'statement.periodTo',
    ],
    [
      'a trading day of another year',
      STATEMENTS,
      () => record.statementLoad(1).replace('"tradingDay":"2026-', '"tradingDay":"2025-'),
      'statement.tradingDays[0].tradingDay',
    ],
    [
      'a week of no calendar',
      INVOICES,
      () => record.invoiceLoad('INV-9', '2026-03-12').replace('TW 01 MAR 2026', 'TW 99 Foo 2026'),
      'invoice.tradeWeek',
    ],
    [
      'an initial invoice of a later version',
      INVOICES,
      () => record.invoiceLoad('INV-9', '2026-03-12').replace('"adjustment":0', '"adjustment":3'),
      'invoice.adjustment',
    ],
    [
      'a code that SQL cannot hold',
      STATEMENTS,
      () => record.statementLoad(1).replace('WPGENCO', 'WP\\u0000GENCO'),
      'statement.participantCode',
    ],
  ])('answers 422 with the path: %s', async (_what, path, load, where) => {
    const answer = await reporting.post(path, load());
    expect(answer).toMatchObject({ status: 422, type: expect.stringContaining('application/problem+json') });
    expect(JSON.parse(answer.body).issues).toContainEqual({ path: where, message: expect.any(String) });
  });

  it('tells the first twenty faults of a record that has thousands', async () => {
    const tradingDays = Array.from({ length: 5_000 }, () => ({}));
    const answer = await reporting.post(STATEMENTS, JSON.stringify({ statement: { tradingDays } }));
    expect(JSON.parse(answer.body).issues).toHaveLength(20);
    expect(answer.body.length).toBeLessThan(5_000);
  });

  it.each(['', '{', '[]]', '{"statement":1e}', '['.repeat(200_000)])(
    'answers 400 to what is no JSON',
    async (body) => {
      expect((await reporting.post(STATEMENTS, body)).status).toBe(400);
    },
  );
});

describe('who may load', () => {
  it.each([
    ['no token', 401, async () => ''],
    ['a forged token', 401, async () => 'abc'],
    ['reading only', 403, () => reporting.tokens.sign('MARKETRECORDS|OPERATOR|R')],
    ["a participant's scope", 403, () => reporting.tokens.sign('MARKETRECORDS|WPGENCO|C')],
    [
      'a token bound to a certificate',
      403,
      () => reporting.tokens.sign('MARKETRECORDS|OPERATOR|C', { claims: { cnf: { 'x5t#S256': 'x' } } }),
    ],
  ])('refuses %s with %i', async (_what, status, token) => {
    expect((await reporting.post(STATEMENTS, record.statementLoad(1), await token())).status).toBe(status);
  });
});

describe('the operator’s port', () => {
  it.each(['/health/live', '/health/ready', '/metrics'])('serves %s', async (path) => {
    expect((await exchange(`${reporting.operatorUrl}${path}`)).status).toBe(200);
  });

  it('serves no participant', async () => {
    expect((await exchange(`${reporting.operatorUrl}/api/v2/prudential/summary/latest`)).status).toBe(404);
  });
});

it('keeps its records over a restart', async () => {
  const database = await createReportingDatabase();
  try {
    const before = await runReporting({ DATABASE_URL: database.url });
    await before.post(STATEMENTS, record.statementLoad(5));
    await before.close();
    const after = await runReporting({ DATABASE_URL: database.url });
    const answer = await after.get('/api/v2/settlements/WEM/summary/2026-03-01/INITIAL');
    await after.close();
    expect(answer.body).toBe(`{"data":${record.statement(5)}}`);
  } finally {
    await database.close();
  }
});

it('answers 503 while the signing keys cannot be had, and recovers', async () => {
  const alone = await runReporting();
  try {
    await alone.tokens.close();
    const path = '/api/v2/prudential/summary/latest';
    expect((await alone.get(path)).status).toBe(503);
    expect((await alone.post(PRUDENTIAL, '{}')).status).toBe(503);
    await alone.tokens.reopen();
    expect((await alone.get(path)).status).toBe(404);
  } finally {
    await alone.close();
  }
});
