import * as record from './support/records.js';
import { sendRequest, runReporting, type RunningReporting } from './support/running-reporting.js';
import { details, output as outputOf } from './support/ten-records.js';

let reporting: RunningReporting;

beforeAll(async () => {
  reporting = await runReporting();
});

afterAll(() => reporting.close());

const STATEMENTS = '/operator/v1/statements';
const PRUDENTIAL = '/operator/v1/prudential';
const INVOICES = '/operator/v1/invoices';
const SUMMARY = '/api/v2/prudential/summary/latest';

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
  const changed = (load: string, from: string, to: string) => load.replace(from, to);
  const [load, prudential] = [record.statementLoad(1), record.prudentialLoad('2026-03-12T10:00:00', '1.00')];
  const invoice = record.invoiceLoad('INV-9', '2026-03-12');
  const DAY = 'statement.tradingDays[0]';

  it.each([
    [STATEMENTS, changed(load, '.12345678', '.123456789'), `${DAY}.variables[0].value`],
    [STATEMENTS, changed(load, '"runId"', '"extra":1,"runId"'), 'statement.extra'],
    [STATEMENTS, changed(load, '"pOrC":"P",', ''), `${DAY}.variables[0].pOrC`],
    [STATEMENTS, changed(load, '"periodTo":"2026-03-07', '"periodTo":"2026-02-28'), 'statement.periodTo'],
    [STATEMENTS, changed(load, '"tradingDay":"2026-', '"tradingDay":"2025-'), `${DAY}.tradingDay`],
    [PRUDENTIAL, changed(prudential, '2026-03-12T10', '2026-02-30T10'), 'calculation.calculatedAt'],
    // Another participant in the nested object.
    [PRUDENTIAL, changed(prudential, 'WPGENCO', 'OTHER'), 'calculation.participantCode'],
    [INVOICES, changed(invoice, 'TW 01 MAR 2026', 'TW 99 Foo 2026'), 'invoice.tradeWeek'],
    [INVOICES, changed(invoice, '"adjustment":0', '"adjustment":3'), 'invoice.adjustment'],
  ])('gets 422 with the path of the field: %s, case %#', async (path, body, issuePath) => {
    const response = await reporting.post(path, body);
    expect(response).toMatchObject({
      status: 422,
      type: expect.stringContaining('application/problem+json'),
    });
    expect(JSON.parse(response.body).issues).toContainEqual({ path: issuePath, message: expect.any(String) });
  });

  it('gets the first twenty issues when it has thousands', async () => {
    const tradingDays = Array.from({ length: 5_000 }, () => ({}));
    const response = await reporting.post(STATEMENTS, JSON.stringify({ statement: { tradingDays } }));
    expect(JSON.parse(response.body).issues).toHaveLength(20);
    expect(response.body.length).toBeLessThan(5_000);
  });

  it('gets 400 when it is not JSON', async () => {
    for (const body of ['', '{', '[]]', '{"statement":1e}', '['.repeat(200_000)])
      expect((await reporting.post(STATEMENTS, body)).status).toBe(400);
  });
});

describe('texts that a database cannot hold', () => {
  const output = `{"participantCode":"WPGENCO","calculatedAt":"2026-03-02T06:00:00","output":${outputOf('EXPOSURE')}}`;
  /** JSON escapes: SQL text cannot hold a zero character, and UTF-8 cannot hold a lone surrogate. */
  const UNSTORABLE = ['\\u0000', '\\ud800'];

  it.each([
    ['prudential', record.prudentialLoad('2026-03-12T10:00:00', '1')],
    ['prudential-details', output],
    ['prudential-estimations', output],
    ['statements', record.statementLoad(1)],
    ['statement-details', `{"details":${details('WEM')}}`],
    ['statement-estimations', `{"details":${details('NSTEM')}}`],
    ['invoices', record.invoiceLoad('INV-1', '2026-03-13')],
    ['timelines', record.timelineLoad(record.cycle('2026-03-01', ['2026-03-13']))],
  ])('are refused or stored unchanged, in each text of %s', async (kind, load) => {
    const post = async (body: string) => (await reporting.post(`/operator/v1/${kind}`, body)).status;
    const statuses = new Set<number>();
    for (const escape of UNSTORABLE) {
      for (const { index } of load.matchAll(/:"([^"]+)"/g))
        statuses.add(await post(`${load.slice(0, index + 3)}${escape}${load.slice(index + 3)}`));
      // The participant code is part of the key.
      if (load.includes('"WPGENCO"'))
        expect(await post(load.replace('"WPGENCO"', `"WP${escape}GENCO"`))).toBe(422);
    }
    expect(statuses.size).toBeGreaterThan(0);
    expect([...statuses].filter((status) => ![201, 409, 422].includes(status))).toEqual([]);
  });
});

it('refuses a load without a token with 401, and with a token bound to a certificate with 403', async () => {
  const load = record.statementLoad(1);
  expect((await reporting.post(STATEMENTS, load, '')).status).toBe(401);
  const claims = { cnf: { 'x5t#S256': 'x' } };
  const bound = await reporting.tokens.sign('MARKETRECORDS|OPERATOR|C', { claims });
  expect((await reporting.post(STATEMENTS, load, bound)).status).toBe(403);
});

it('serves neither the operations of participants nor what the management port serves', async () => {
  expect((await sendRequest(`${reporting.operatorUrl}${SUMMARY}`)).status).toBe(404);
  for (const path of ['/health/live', '/health/ready', '/health', '/metrics']) {
    const { status, type } = await sendRequest(`${reporting.operatorUrl}${path}`);
    expect([status, type]).toEqual([404, expect.stringContaining('application/problem+json')]);
    expect((await sendRequest(`${reporting.managementUrl}${path}`)).status).toBe(200);
  }
});

it('responds 503 while the signing keys cannot be fetched, and recovers; REQUIRE_BOUND_TOKENS refuses an unbound token', async () => {
  const separate = await runReporting({ REQUIRE_BOUND_TOKENS: 'true' });
  try {
    await separate.tokens.close();
    expect((await separate.get(SUMMARY)).status).toBe(503);
    expect((await separate.post(PRUDENTIAL, '{}')).status).toBe(503);
    await separate.tokens.reopen();
    const { status, body } = await separate.get(SUMMARY);
    expect([status, JSON.parse(body).reason]).toEqual([403, 'token-not-bound']);
  } finally {
    await separate.close();
  }
});
