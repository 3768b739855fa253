import { Database } from '@ssb/postgres';
import { invoice, statement } from './support/records.js';
import { createReportingDatabase, type ReportingDatabase } from './support/reporting-database.js';
import { runReporting, type RunningReporting } from './support/running-reporting.js';
import { cycle, details, loadTenRecords, output, RANGE_CALCULATION } from './support/ten-records.js';

let database: ReportingDatabase;
let reporting: RunningReporting;

beforeAll(async () => {
  database = await createReportingDatabase();
  reporting = await runReporting({ DATABASE_URL: database.url });
  await loadTenRecords(reporting);
});

afterAll(async () => {
  await reporting.close();
  await database.close();
});

const SETTLEMENTS = '/api/v2/settlements';

/** Each operation with a JSON body: its path, the path with days in the other form, and the expected data. */
const DOCUMENTS: [operation: number, path: string, otherForm: string, data: string][] = [
  [
    1,
    '/api/v2/prudential?dateFrom=2026-03-01&dateTo=2026-03-11',
    '/api/v2/prudential?dateFrom=2026-03-01T00:00:00&dateTo=2026-03-11T00:00:00',
    `[${RANGE_CALCULATION}]`,
  ],
  [
    2,
    '/api/v2/prudential/summary/latest',
    '/api/v2/prudential/summary/latest',
    '{"participantCode":"WPGENCO","tradingDay":"2026-03-12T00:00:00","outstandingAmount":5000000.50,"tradingMargin":-0.10,"calculatedAt":"2026-03-12T10:00:02"}',
  ],
  [
    3,
    '/api/v2/prudential/detail/2026-03-01',
    '/api/v2/prudential/detail/2026-03-01T00:00:00',
    output('EXPOSURE'),
  ],
  [
    4,
    '/api/v2/prudential/estimation/2026-03-01',
    '/api/v2/prudential/estimation/2026-03-01T12:30:00',
    output('ESTIMATE'),
  ],
  [
    5,
    `${SETTLEMENTS}/WEM/summary/2026-03-01/INITIAL`,
    `${SETTLEMENTS}/WEM/summary/2026-03-01T00:00:00/INITIAL`,
    statement(8),
  ],
  [
    6,
    `${SETTLEMENTS}/WEM/detail/2026-03-01/INITIAL`,
    `${SETTLEMENTS}/WEM/detail/2026-03-01T00:00:00/INITIAL`,
    details('WEM'),
  ],
  [
    7,
    `${SETTLEMENTS}/NSTEM/estimation/2026-03-01/INITIAL/2026-03-01`,
    `${SETTLEMENTS}/NSTEM/estimation/2026-03-01T00:00:00/INITIAL/2026-03-01T00:00:00`,
    details('NSTEM'),
  ],
  [
    9,
    `${SETTLEMENTS}/WEM/invoice/2026-03-01/INITIAL`,
    `${SETTLEMENTS}/WEM/invoice/2026-03-01T00:00:00/INITIAL`,
    invoice('INV-2', '2026-03-13'),
  ],
  [
    10,
    `${SETTLEMENTS}/timeline?invoiceDateFrom=2026-03-12&invoiceDateTo=2026-03-12`,
    `${SETTLEMENTS}/timeline?invoiceDateFrom=2026-03-12T00:00:00&invoiceDateTo=2026-03-12T23:59:59`,
    `{"cycles":[${cycle}]}`,
  ],
];

describe.each(DOCUMENTS)('operation %s', (_operation, path, otherForm, data) => {
  const body = `{"data":${data}}`;

  it('responds with data alone, with every digit, in three media types and for both forms of a day (Conventions 1 to 4)', async () => {
    for (const accept of ['text/plain', 'application/json', 'text/json']) {
      const type = `${accept}; charset=utf-8`;
      expect(await reporting.get(path, { accept })).toEqual({ status: 200, type, body });
    }
    expect((await reporting.get(otherForm)).body).toBe(body);
  });

  it('accepts the caller’s own participantCode, fills in an empty one, and refuses any other (Rules 1)', async () => {
    const withCode = (code: string) => `${path}${path.includes('?') ? '&' : '?'}participantCode=${code}`;
    for (const code of ['WPGENCO', '']) expect((await reporting.get(withCode(code))).body).toBe(body);
    const refused = await reporting.get(withCode('OTHER'));
    expect([refused.status, JSON.parse(refused.body).reason]).toEqual([403, 'other-participant']);
  });

  it('returns none of it to another participant', async () => {
    const as = await reporting.authority.issue({ commonName: 'OTHER' });
    const token = await reporting.tokens.sign('PRUDENTIAL|OTHER|R SETTLEMENT|OTHER|R');
    const response = await reporting.get(path, { as, token });
    if (path.includes('timeline')) expect(response.body).toBe(body);
    else if (path.includes('dateFrom')) expect(response.body).toBe('{"data":[]}');
    else expect([response.status, JSON.parse(response.body).reason]).toEqual([404, 'nothing-published']);
  });
});

it('responds to operation 8 with a PDF for every Accept header', async () => {
  const path = `${SETTLEMENTS}/WEM/invoiceFile/2026-03-01/INITIAL`;
  for (const accept of ['application/pdf', 'application/json', '*/*']) {
    const { status, type, body } = await reporting.get(path, { accept });
    expect([status, type, body.slice(0, 5)]).toEqual([200, 'application/pdf', '%PDF-']);
  }
});

describe('a request without a result gets 404 and the reason', () => {
  it.each([
    ['/api/v2/prudential', 'parameter-missing', 'dateFrom'],
    ['/api/v2/prudential?dateFrom=2026-03-02&dateTo=2026-03-01', 'window-upside-down', 'dateTo'],
    [
      '/api/v2/prudential?dateFrom=2026-03-01&dateFrom=2026-03-01&dateTo=2026-03-01',
      'parameter-repeated',
      'dateFrom',
    ],
    ['/api/v2/prudential/detail/2026-02-29', 'impossible-date', 'tradingDay'],
    ['/api/v2/prudential/estimation/tomorrow', 'impossible-date', 'tradingDay'],
    [`${SETTLEMENTS}/STEM/detail/2026-03-01/ADJ1`, 'designation-not-allowed', 'designation'],
    [`${SETTLEMENTS}/GAS/detail/2026-03-01/INITIAL`, 'unknown-market-service', 'marketService'],
    [`${SETTLEMENTS}/toString/summary/2026-03-01/INITIAL`, 'unknown-market-service', 'marketService'],
    [`${SETTLEMENTS}/WEM/summary/2026-03-01/ADJ4`, 'designation-not-allowed', 'designation'],
    [`${SETTLEMENTS}/WEM/invoice/2026-02-29/INITIAL`, 'impossible-date', 'periodFrom'],
    [`${SETTLEMENTS}/NSTEM/estimation/2026-03-01/INITIAL/2026-04-31`, 'impossible-date', 'tradingDay'],
    [
      `${SETTLEMENTS}/WEM/estimation/2026-03-01/INITIAL/2026-03-01`,
      'market-service-not-allowed',
      'marketService',
    ],
    [`${SETTLEMENTS}/STEM/invoiceFile/2026-03-01/INITIAL`, 'nothing-published', undefined],
    ['/api/v2/prudential/', 'no-such-address', undefined],
    ['/API/v2/prudential/summary/latest', 'no-such-address', undefined],
    ['/%zz', 'no-such-address', undefined],
    [`/api/v2/prudential/detail/${'2'.repeat(3_000)}`, 'no-such-address', undefined],
  ])('%s: %s', async (path, reason, parameter) => {
    const { status, type, body } = await reporting.get(path);
    expect([status, type]).toEqual([404, expect.stringContaining('application/problem+json')]);
    const problem = JSON.parse(body) as Record<string, unknown>;
    expect(problem).toMatchObject({ type: 'about:blank', status: 404, reason, detail: expect.any(String) });
    expect(problem.parameter).toBe(parameter);
  });
});

/** Rows with a document of half the size that a response may have. */
const HALF_A_RESPONSE = "'\"' || repeat('5', 5000000) || '\"'";
const INSERT_CALCULATIONS = `INSERT INTO reporting.prudential
  (participant, trading_day, calculated_at, is_forecast, document, summary)
  SELECT 'WPGENCO', day, day, true, ${HALF_A_RESPONSE}, '' FROM unnest($1::date[]) AS day`;
const INSERT_CYCLES = `INSERT INTO reporting.cycle (market_service, period_from, invoice_dates, document)
  SELECT 'STEM', day, ARRAY[day::text], ${HALF_A_RESPONSE} FROM unnest($1::date[]) AS day`;

it.each([
  [1, '/api/v2/prudential?dateFrom=2027-05-01&dateTo=', INSERT_CALCULATIONS],
  [10, `${SETTLEMENTS}/timeline?invoiceDateFrom=2027-05-01&invoiceDateTo=`, INSERT_CYCLES],
])(
  'responds to operation %i with at most 10 MB, and fewer days where these would be more',
  async (_operation, path, insert) => {
    const admin = new Database({ url: database.adminUrl, schema: 'reporting', connections: 1 });
    await admin.query(insert, [['2027-05-01', '2027-05-02']]);
    await admin.close();
    const { status, body } = await reporting.get(`${path}2027-05-02`);
    expect([status, JSON.parse(body).reason]).toEqual([404, 'response-too-large']);
    const fewer = await reporting.get(`${path}2027-05-01`);
    expect([fewer.status, fewer.body.length > 5_000_000]).toEqual([200, true]);
  },
);
