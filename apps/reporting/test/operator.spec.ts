import * as record from './support/records.js';
import { sendRequest, runReporting, type RunningReporting } from './support/running-reporting.js';

let reporting: RunningReporting;

beforeAll(async () => {
  reporting = await runReporting();
});

afterAll(() => reporting.close());

const STATEMENTS = '/operator/v1/statements';
const PRUDENTIAL = '/operator/v1/prudential';
const INVOICES = '/operator/v1/invoices';

describe('a load', () => {
  it('recognises a repeated record in any JSON layout, but not with another number of digits', async () => {
    const load = (digits: string) => record.prudentialLoad('2026-03-12T13:00:00', digits);
    const otherLayout = JSON.stringify({
      calculation: { isForecast: false, ...JSON.parse(load('1.5')).calculation },
      participantCode: 'WPGENCO',
    });
    const exact = otherLayout.replace('5000000.5', '5000000.50');
    expect((await reporting.post(PRUDENTIAL, load('1.5'))).status).toBe(201);
    expect((await reporting.post(PRUDENTIAL, exact.replaceAll(',', ',\n  '))).status).toBe(200);
    expect((await reporting.post(PRUDENTIAL, load('1.50'))).status).toBe(409);
  });

  it('of a timeline is atomic', async () => {
    const good = record.cycle('2024-05-05', ['2024-05-10']);
    const bad = record.cycle('2024-05-12', ['2024-05-99']);
    expect((await reporting.post('/operator/v1/timelines', record.timelineLoad(good, bad))).status).toBe(422);
    const path = '/api/v2/settlements/timeline?invoiceDateFrom=2024-05-01&invoiceDateTo=2024-05-31';
    expect((await reporting.get(path)).body).toBe('{"data":{"cycles":[]}}');
  });
});

describe('an invalid record', () => {
  it.each([
    [
      'too many digits',
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
      'a missing property',
      STATEMENTS,
      () => record.statementLoad(1).replace('"pOrC":"P",', ''),
      'statement.tradingDays[0].variables[0].pOrC',
    ],
    [
      'a date that does not exist',
      PRUDENTIAL,
      () => record.prudentialLoad('2026-02-30T10:00:00', '1.00'),
      'calculation.calculatedAt',
    ],
    [
      'another participant in the nested object',
      PRUDENTIAL,
      () => record.prudentialLoad('2026-03-12T10:00:00', '1.00').replace('WPGENCO', 'OTHER'),
      'calculation.participantCode',
    ],
    [
      'a period that ends before it begins',
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
      'a trading week that does not exist',
      INVOICES,
      () => record.invoiceLoad('INV-9', '2026-03-12').replace('TW 01 MAR 2026', 'TW 99 Foo 2026'),
      'invoice.tradeWeek',
    ],
    [
      'an initial invoice with an adjustment number',
      INVOICES,
      () => record.invoiceLoad('INV-9', '2026-03-12').replace('"adjustment":0', '"adjustment":3'),
      'invoice.adjustment',
    ],
    [
      'a code with NUL, which PostgreSQL cannot store',
      STATEMENTS,
      () => record.statementLoad(1).replace('WPGENCO', 'WP\\u0000GENCO'),
      'statement.participantCode',
    ],
  ])('is answered with 422 and the path: %s', async (_title, path, load, issuePath) => {
    const response = await reporting.post(path, load());
    expect(response).toMatchObject({
      status: 422,
      type: expect.stringContaining('application/problem+json'),
    });
    expect(JSON.parse(response.body).issues).toContainEqual({ path: issuePath, message: expect.any(String) });
  });

  it('is answered with the first twenty issues when it has thousands', async () => {
    const tradingDays = Array.from({ length: 5_000 }, () => ({}));
    const response = await reporting.post(STATEMENTS, JSON.stringify({ statement: { tradingDays } }));
    expect(JSON.parse(response.body).issues).toHaveLength(20);
    expect(response.body.length).toBeLessThan(5_000);
  });

  it.each(['', '{', '[]]', '{"statement":1e}', '['.repeat(200_000)])(
    'is answered with 400 when it is not JSON',
    async (body) => {
      expect((await reporting.post(STATEMENTS, body)).status).toBe(400);
    },
  );
});

describe('a load without permission', () => {
  it.each([
    ['no token', 401, async () => ''],
    [
      'a token bound to a certificate',
      403,
      () => reporting.tokens.sign('MARKETRECORDS|OPERATOR|C', { claims: { cnf: { 'x5t#S256': 'x' } } }),
    ],
  ])('with %s is answered with %i', async (_what, status, token) => {
    expect((await reporting.post(STATEMENTS, record.statementLoad(1), await token())).status).toBe(status);
  });
});

describe('the operator port', () => {
  it.each(['/health/live', '/health/ready', '/health', '/metrics'])(
    'does not serve %s, which is on the management port',
    async (path) => {
      const { status, type } = await sendRequest(`${reporting.operatorUrl}${path}`);
      expect([status, type]).toEqual([404, expect.stringContaining('application/problem+json')]);
      expect((await sendRequest(`${reporting.managementUrl}${path}`)).status).toBe(200);
    },
  );

  it('does not serve the operations of participants', async () => {
    expect((await sendRequest(`${reporting.operatorUrl}/api/v2/prudential/summary/latest`)).status).toBe(404);
  });
});

it('answers 503 while the signing keys cannot be fetched, and recovers', async () => {
  const separate = await runReporting();
  try {
    await separate.tokens.close();
    const path = '/api/v2/prudential/summary/latest';
    expect((await separate.get(path)).status).toBe(503);
    expect((await separate.post(PRUDENTIAL, '{}')).status).toBe(503);
    await separate.tokens.reopen();
    expect((await separate.get(path)).status).toBe(404);
  } finally {
    await separate.close();
  }
});
