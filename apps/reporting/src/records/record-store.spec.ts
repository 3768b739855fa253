import { Database } from '@ssb/database';
import { addDays, type MarketDate } from '@ssb/market';
import { type BulkLine, readBulkLine } from '@ssb/market-admin';
import { waitFor } from '@ssb/testing';
import {
  cycle,
  invoice,
  invoiceLoad,
  prudentialLoad,
  statement,
  statementLoad,
  timelineLoad,
} from '../../test/support/records.js';
import { createReportingDatabase, type ReportingDatabase } from '../../test/support/reporting-database.js';
import { DocumentCache } from './document-cache.js';
import { SharedCache } from './cache-invalidation.js';
import { RecordConflictError } from './loading/insert-rows.js';
import { SCHEMA } from './migrations.js';
import { Records } from './record-store.js';

const line = (kind: string, load: string): BulkLine => {
  const reading = readBulkLine(`{"kind":"${kind}","record":${load}}`);
  if (!reading.ok) throw new Error(JSON.stringify(reading.issues));
  return reading.value;
};

const output = (value: string): string =>
  `{"tradingDay":"2026-03-12T00:00:00","tradingDays":[{"tradingDay":"2026-03-12T00:00:00","variables":[{"variable":"ENERGY","scope":"WPGENCO","granularity":"D","value":[${value}]}]}]}`;
const outputLoad = (calculatedAt: string, value: string): string =>
  `{"participantCode":"WPGENCO","calculatedAt":"${calculatedAt}","output":${output(value)}}`;

const details = (runId: number, market: 'WEM' | 'NSTEM'): string =>
  `{"runId":${runId},"publishedAt":"2026-03-12T10:00:00","marketService":"${market}","designation":"INITIAL","period":"p","periodFrom":"2026-03-01T00:00:00","periodTo":"2026-03-07T00:00:00","participantCode":"WPGENCO","tradingDay":"2026-03-02T00:00:00","tradingDays":[{"tradingDay":"2026-03-02T00:00:00","variables":[{"variable":"ENERGY","scope":"WPGENCO","granularity":"DI","value":[${Array.from({ length: 288 }, (_, i) => `${i}.12345678`).join(',')}]}]}]}`;
const detailsLoad = (runId: number, market: 'WEM' | 'NSTEM'): string =>
  `{"details":${details(runId, market)}}`;

/** What stands in the answer: `{"data":…}` and nothing else. */
async function documentOf(body: Promise<Uint8Array | undefined>): Promise<string | undefined> {
  const bytes = await body;
  const [, document] = /^\{"data":(.*)\}$/s.exec(Buffer.from(bytes ?? []).toString('utf8')) ?? [];
  return document;
}

const day = (text: string): MarketDate => text as MarketDate;
const period = { marketService: 'WEM', periodFrom: day('2026-03-01'), designation: 'INITIAL' } as const;

describe('records', () => {
  let server: ReportingDatabase;
  let database: Database;
  let cache: SharedCache;
  let store: Records;

  beforeAll(async () => {
    server = await createReportingDatabase();
    database = new Database({ url: server.url, schema: SCHEMA });
  });
  beforeEach(async () => {
    await server.query(
      `TRUNCATE reporting.prudential, reporting.prudential_detail, reporting.prudential_estimation, reporting.statement,
         reporting.statement_detail, reporting.statement_estimation, reporting.invoice, reporting.cycle`,
    );
    cache = await SharedCache.join(database, new DocumentCache(1024 * 1024));
    store = new Records(database, cache);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await cache.leave();
  });
  afterAll(async () => {
    await database.close();
    await server.close();
  });

  const records = () => store;

  it('answers each kind of record with the very text that was loaded', async () => {
    const count = await records().loadAll([
      line('prudential', prudentialLoad('2026-03-12T10:00:00', '123456789012345.12345678')),
      line('prudential-details', outputLoad('2026-03-12T10:00:00', '1.10')),
      line('prudential-estimations', outputLoad('2026-03-12T10:00:00', '2.20')),
      line('statements', statementLoad(1)),
      line('statement-details', detailsLoad(1, 'WEM')),
      line('statement-estimations', detailsLoad(1, 'NSTEM')),
      line('invoices', invoiceLoad('INV-1', '2026-03-13')),
      line('timelines', timelineLoad(cycle('2026-03-01', ['2026-03-13']))),
    ]);
    expect(count).toEqual({ loaded: 8, alreadyThere: 0 });
    const answered = records();
    expect(
      await documentOf(answered.calculations('WPGENCO', { from: day('2026-03-12'), to: day('2026-03-12') })),
    ).toContain('123456789012345.12345678');
    expect(await documentOf(answered.latest('prudential-summary', 'WPGENCO', {}))).toContain(
      '123456789012345.12345678',
    );
    expect(
      await documentOf(answered.latest('prudential-detail', 'WPGENCO', { tradingDay: day('2026-03-12') })),
    ).toBe(output('1.10'));
    expect(
      await documentOf(
        answered.latest('prudential-estimation', 'WPGENCO', { tradingDay: day('2026-03-12') }),
      ),
    ).toBe(output('2.20'));
    expect(await documentOf(answered.latest('settlement-statement', 'WPGENCO', period))).toBe(statement(1));
    const detail = { ...period, tradingDay: day('2026-03-02') };
    expect(await documentOf(answered.latest('settlement-detail', 'WPGENCO', detail))).toBe(details(1, 'WEM'));
    expect(await documentOf(answered.latest('settlement-estimation', 'WPGENCO', detail))).toBe(
      details(1, 'NSTEM'),
    );
    expect(await documentOf(answered.latest('settlement-invoice', 'WPGENCO', period))).toBe(
      invoice('INV-1', '2026-03-13'),
    );
    const file = await answered.latest('settlement-invoice-file', 'WPGENCO', period);
    expect(
      Buffer.from(file ?? [])
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
    const window = { from: day('2026-03-13'), to: day('2026-03-13') };
    expect(await documentOf(answered.timeline(window))).toBe(
      `{"cycles":[${cycle('2026-03-01', ['2026-03-13'])}]}`,
    );
  });

  it('says of nothing that there is nothing, and of somebody else’s too', async () => {
    await records().loadAll([line('statements', statementLoad(1))]);
    expect(await documentOf(records().latest('settlement-statement', 'OTHER', period))).toBeUndefined();
    expect(await records().latest('settlement-invoice-file', 'WPGENCO', period)).toBeUndefined();
    expect(
      await documentOf(records().calculations('WPGENCO', { from: day('2026-01-01'), to: day('2026-12-31') })),
    ).toBe('[]');
  });

  it('changes nothing by the same record, and stands a new run beside the old', async () => {
    const [first, second] = [line('statements', statementLoad(1)), line('statements', statementLoad(2))];
    await records().loadAll([first]);
    expect(await records().loadAll([first, first])).toEqual({ loaded: 0, alreadyThere: 2 });
    expect(await documentOf(records().latest('settlement-statement', 'WPGENCO', period))).toBe(statement(1));
    await records().loadAll([second]);
    expect(await documentOf(records().latest('settlement-statement', 'WPGENCO', period))).toBe(statement(2));
    const page = await records().list('statements', { limit: 10 });
    expect(page.records.map(({ key }) => key['run_id'])).toEqual([1, 2]);
  });

  it.each([
    ['in the store', 1],
    ['in the same load', 0],
  ])(
    'refuses other content under a key that is taken %s, and loads nothing of it',
    async (_where, before) => {
      const taken = outputLoad('2026-03-12T10:00:00', '1.10');
      const other = line('prudential-details', outputLoad('2026-03-12T10:00:00', '1.1'));
      const known = line('prudential-details', taken);
      if (before === 1) await records().loadAll([known]);
      const failure = await records()
        .loadAll([line('statements', statementLoad(1)), known, other])
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(RecordConflictError);
      expect(failure).toMatchObject({ table: 'prudential_detail', index: 2 });
      expect(await documentOf(records().latest('settlement-statement', 'WPGENCO', period))).toBeUndefined();
    },
  );

  it('answers the latest by each operation’s own measure', async () => {
    await records().loadAll([
      line('prudential', prudentialLoad('2026-03-12T11:00:00', '2')),
      line('prudential', prudentialLoad('2026-03-12T10:00:00', '1')),
      line('prudential', prudentialLoad('2026-03-12T12:00:00', '3', true)),
      line('prudential-details', outputLoad('2026-03-12T11:00:00', '2')),
      line('prudential-details', outputLoad('2026-03-12T10:00:00', '1')),
      line('invoices', invoiceLoad('INV-2', '2026-03-14')),
      line('invoices', invoiceLoad('INV-1', '2026-03-13')),
    ]);
    const answered = records();
    expect(await documentOf(answered.latest('prudential-summary', 'WPGENCO', {}))).toContain(
      '"tradingMargin":2,',
    );
    expect(
      await documentOf(answered.latest('prudential-detail', 'WPGENCO', { tradingDay: day('2026-03-12') })),
    ).toBe(output('2'));
    expect(await documentOf(answered.latest('settlement-invoice', 'WPGENCO', period))).toBe(
      invoice('INV-2', '2026-03-14'),
    );
    const range = await documentOf(
      answered.calculations('WPGENCO', { from: day('2026-03-12'), to: day('2026-03-12') }),
    );
    expect([...(range ?? '').matchAll(/"tradingMargin":(\d)/g)].map(([, margin]) => margin)).toEqual([
      '1',
      '2',
      '3',
    ]);
  });

  it('finds for many who ask at once by one statement, to each the own record', async () => {
    const codes = Array.from({ length: 30 }, (_, number) => `P${number}`);
    await records().loadAll(
      codes.map((code, number) => {
        const load = outputLoad('2026-03-12T10:00:00', String(number));
        return line('prudential-details', load.replace('"WPGENCO"', `"${code}"`));
      }),
    );
    const query = jest.spyOn(database, 'query');
    const answered = new Records(database);
    const found = await Promise.all(
      [...codes, 'NOBODY'].map((code) =>
        documentOf(answered.latest('prudential-detail', code, { tradingDay: day('2026-03-12') })),
      ),
    );
    expect(found).toEqual([...codes.map((_, number) => output(String(number))), undefined]);
    expect(query).toHaveBeenCalledTimes(1);
  });

  it('writes many cycles by few statements, the later of two for one period, and only what changed', async () => {
    const sunday = (week: number) => addDays(day('2020-01-05'), 7 * week);
    const weeks = Array.from({ length: 600 }, (_, week) => cycle(sunday(week), [sunday(week)]));
    let statements = 0;
    const transaction = database.transaction.bind(database);
    jest.spyOn(database, 'transaction').mockImplementation((work) =>
      transaction((session) =>
        work({
          ...session,
          query: (sql, parameters) => {
            statements += 1;
            return session.query(sql, parameters);
          },
        }),
      ),
    );
    const counted = new Records(database);
    const [first = '', second = ''] = weeks;
    const moved = cycle(sunday(0), [sunday(1)]);
    const load = [
      line('timelines', timelineLoad(...weeks, moved)),
      line('timelines', timelineLoad(first)),
      line('timelines', timelineLoad(moved, second)),
    ];
    expect(await counted.loadAll(load)).toEqual({ loaded: 3, alreadyThere: 0 });
    expect(statements).toBeLessThan(10);
    const window = { from: sunday(1), to: sunday(1) };
    const expected = `{"cycles":[${moved},${second}]}`;
    expect(await documentOf(records().timeline(window))).toBe(expected);
    expect(await counted.loadAll(load)).toEqual({ loaded: 0, alreadyThere: 3 });
    const change = [line('timelines', timelineLoad(second)), line('timelines', timelineLoad(first))];
    expect(await counted.loadAll(change)).toEqual({ loaded: 1, alreadyThere: 1 });
    // What was loaded again, or moved, comes behind what was not.
    const page = await records().list('timelines', { limit: 1 });
    expect(page.records.map(({ document }) => document)).toEqual(weeks.slice(2, 3));
  });

  it('lists page by page in the order of loading', async () => {
    await records().loadAll([3, 1, 2].map((run) => line('statements', statementLoad(run))));
    const first = await records().list('statements', { participant: 'WPGENCO', limit: 2 });
    const rest = await records().list('statements', { participant: 'WPGENCO', limit: 2, after: first.next });
    expect([...first.records, ...rest.records].map(({ document }) => document)).toEqual(
      [3, 1, 2].map(statement),
    );
    expect(rest.next).toBeUndefined();
    expect((await records().list('statements', { participant: 'OTHER', limit: 2 })).records).toEqual([]);
  });

  it('answers what was loaded though the answer before it was kept', async () => {
    await records().loadAll([line('statements', statementLoad(1))]);
    expect(await documentOf(records().latest('settlement-statement', 'WPGENCO', period))).toBe(statement(1));
    await records().loadAll([line('statements', statementLoad(2))]);
    expect(await documentOf(records().latest('settlement-statement', 'WPGENCO', period))).toBe(statement(2));
  });

  it('forgets what another replica loads into', async () => {
    const elsewhere = new Database({ url: server.url, schema: SCHEMA });
    const joined = await SharedCache.join(elsewhere, new DocumentCache(1024 * 1024));
    const other = new Records(elsewhere, joined);
    await records().loadAll([line('statements', statementLoad(1))]);
    const answer = () => documentOf(other.latest('settlement-statement', 'WPGENCO', period));
    await waitFor('the first run', async () => (await answer()) === statement(1));
    await records().loadAll([line('statements', statementLoad(2))]);
    await waitFor('the second run', async () => (await answer()) === statement(2));
    await joined.leave();
    await elsewhere.close();
  });
});
