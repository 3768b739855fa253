import { Database } from '@ssb/postgres';
import { addDays, type MarketDate } from '@ssb/market';
import { type BulkLine, parseBulkLine } from '@ssb/market/admin';
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
import { CacheInvalidation } from './cache-invalidation.js';
import { RecordConflictError } from './loading/insert-rows.js';
import { SCHEMA } from './migrations.js';
import { RecordStore } from './record-store.js';

const line = (kind: string, load: string): BulkLine => {
  const reading = parseBulkLine(`{"kind":"${kind}","record":${load}}`);
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

/** The document in `{"data":…}`. */
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
  let invalidation: CacheInvalidation;
  let store: RecordStore;

  beforeAll(async () => {
    server = await createReportingDatabase();
    database = new Database({ url: server.url, schema: SCHEMA });
  });
  beforeEach(async () => {
    await server.query(
      `TRUNCATE reporting.prudential, reporting.prudential_detail, reporting.prudential_estimation, reporting.statement,
         reporting.statement_detail, reporting.statement_estimation, reporting.invoice, reporting.cycle`,
    );
    invalidation = await CacheInvalidation.start(database, new DocumentCache(1024 * 1024));
    store = new RecordStore(database, invalidation);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await invalidation.stop();
  });
  afterAll(async () => {
    await database.close();
    await server.close();
  });

  it('returns each kind of record with the exact text that was loaded', async () => {
    const cycles = [cycle('2026-03-01', ['2026-03-13', '2026-03-31']), cycle('2026-03-08', ['2026-03-14'])];
    const march = (days: number) => day(`2026-03-${days}`);
    const count = await store.loadAll([
      line('prudential', prudentialLoad('2026-03-12T10:00:00', '123456789012345.12345678')),
      line('prudential-details', outputLoad('2026-03-12T10:00:00', '1.10')),
      line('prudential-estimations', outputLoad('2026-03-12T10:00:00', '2.20')),
      line('statements', statementLoad(1)),
      line('statement-details', detailsLoad(1, 'WEM')),
      line('statement-estimations', detailsLoad(1, 'NSTEM')),
      line('invoices', invoiceLoad('INV-1', '2026-03-13')),
      line('timelines', timelineLoad(...cycles)),
    ]);
    expect(count).toEqual({ loaded: 8, alreadyThere: 0 });
    const calculation = { tradingDay: march(12) };
    const detail = { ...period, tradingDay: day('2026-03-02') };
    const digits = expect.stringContaining('123456789012345.12345678');
    const found = [
      store.calculations('WPGENCO', { from: march(12), to: march(12) }),
      store.latest('prudential-summary', 'WPGENCO', {}),
      store.latest('prudential-detail', 'WPGENCO', calculation),
      store.latest('prudential-estimation', 'WPGENCO', calculation),
      store.latest('settlement-statement', 'WPGENCO', period),
      store.latest('settlement-detail', 'WPGENCO', detail),
      store.latest('settlement-estimation', 'WPGENCO', detail),
      store.latest('settlement-invoice', 'WPGENCO', period),
      store.timeline({ from: march(13), to: march(13) }),
      store.timeline({ from: march(14), to: march(31) }),
      store.timeline({ from: march(15), to: march(19) }),
    ];
    expect(await Promise.all(found.map(documentOf))).toEqual([
      digits,
      digits,
      output('1.10'),
      output('2.20'),
      statement(1),
      details(1, 'WEM'),
      details(1, 'NSTEM'),
      invoice('INV-1', '2026-03-13'),
      // A cycle is found by the invoice date of any of its runs, the first and last day included.
      `{"cycles":[${cycles[0]}]}`,
      `{"cycles":[${cycles.join()}]}`,
      '{"cycles":[]}',
    ]);
    const file = await store.latest('settlement-invoice-file', 'WPGENCO', period);
    expect(String(Buffer.from(file ?? [])).slice(0, 5)).toBe('%PDF-');
  });

  it('ignores a repeated record, and returns a new run although the old one was cached and is kept', async () => {
    const [first, second] = [line('statements', statementLoad(1)), line('statements', statementLoad(2))];
    await store.loadAll([first]);
    expect(await store.loadAll([first, first])).toEqual({ loaded: 0, alreadyThere: 2 });
    expect(await documentOf(store.latest('settlement-statement', 'WPGENCO', period))).toBe(statement(1));
    await store.loadAll([second]);
    expect(await documentOf(store.latest('settlement-statement', 'WPGENCO', period))).toBe(statement(2));
    const page = await store.list('statements', { limit: 10 });
    expect(page.records.map(({ key }) => key['run_id'])).toEqual([1, 2]);
  });

  it.each([
    ['in the store', 1],
    ['in the same load', 0],
  ])('refuses other content for a key that is taken %s, and loads nothing', async (_where, before) => {
    const taken = outputLoad('2026-03-12T10:00:00', '1.10');
    const other = line('prudential-details', outputLoad('2026-03-12T10:00:00', '1.1'));
    const known = line('prudential-details', taken);
    if (before === 1) await store.loadAll([known]);
    const failure = await store
      .loadAll([line('statements', statementLoad(1)), known, other])
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RecordConflictError);
    expect(failure).toMatchObject({ table: 'prudential_detail', index: 2 });
    expect(await documentOf(store.latest('settlement-statement', 'WPGENCO', period))).toBeUndefined();
  });

  it('returns the latest record by the order of each operation', async () => {
    await store.loadAll([
      line('prudential', prudentialLoad('2026-03-12T11:00:00', '2')),
      line('prudential', prudentialLoad('2026-03-12T10:00:00', '1')),
      line('prudential', prudentialLoad('2026-03-12T12:00:00', '3', true)),
      line('statements', statementLoad(8)),
      line('statements', statementLoad(7)),
      line('prudential-details', outputLoad('2026-03-12T11:00:00', '2')),
      line('prudential-details', outputLoad('2026-03-12T10:00:00', '1')),
      line('invoices', invoiceLoad('INV-2', '2026-03-14')),
      line('invoices', invoiceLoad('INV-1', '2026-03-13')),
    ]);
    const today = day('2026-03-12');
    const latest = [
      store.latest('prudential-summary', 'WPGENCO', {}),
      store.latest('prudential-detail', 'WPGENCO', { tradingDay: today }),
      store.latest('settlement-statement', 'WPGENCO', period),
      store.latest('settlement-invoice', 'WPGENCO', period),
    ];
    expect(await Promise.all(latest.map(documentOf))).toEqual([
      expect.stringContaining('"tradingMargin":2,'),
      output('2'),
      statement(8),
      invoice('INV-2', '2026-03-14'),
    ]);
    const range = await documentOf(store.calculations('WPGENCO', { from: today, to: today }));
    expect(range?.match(/(?<="tradingMargin":)\d/g)).toEqual(['1', '2', '3']);
  });

  it('finds the records of concurrent requests by one statement, each with its own record', async () => {
    const codes = Array.from({ length: 30 }, (_, number) => `P${number}`);
    await store.loadAll(
      codes.map((code, number) => {
        const load = outputLoad('2026-03-12T10:00:00', String(number));
        return line('prudential-details', load.replace('"WPGENCO"', `"${code}"`));
      }),
    );
    const query = jest.spyOn(database, 'query');
    const uncached = new RecordStore(database);
    const found = await Promise.all(
      [...codes, 'UNKNOWN'].map((code) =>
        documentOf(uncached.latest('prudential-detail', code, { tradingDay: day('2026-03-12') })),
      ),
    );
    expect(found).toEqual([...codes.map((_, number) => output(String(number))), undefined]);
    expect(query).toHaveBeenCalledTimes(1);
  });

  it('writes many cycles by few statements, the later of two for one period, and only those that changed', async () => {
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
    const counted = new RecordStore(database);
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
    expect(await documentOf(store.timeline(window))).toBe(expected);
    expect(await counted.loadAll(load)).toEqual({ loaded: 0, alreadyThere: 3 });
    const change = [line('timelines', timelineLoad(second)), line('timelines', timelineLoad(first))];
    expect(await counted.loadAll(change)).toEqual({ loaded: 1, alreadyThere: 1 });
    // Cycles that were loaded again or moved come last.
    const page = await store.list('timelines', { limit: 1 });
    expect(page.records.map(({ document }) => document)).toEqual(weeks.slice(2, 3));
  });

  it('invalidates what another replica loads', async () => {
    const otherDatabase = new Database({ url: server.url, schema: SCHEMA });
    const otherInvalidation = await CacheInvalidation.start(otherDatabase, new DocumentCache(1024 * 1024));
    const other = new RecordStore(otherDatabase, otherInvalidation);
    await store.loadAll([line('statements', statementLoad(1))]);
    const served = () => documentOf(other.latest('settlement-statement', 'WPGENCO', period));
    await waitFor('the first run', async () => (await served()) === statement(1));
    await store.loadAll([line('statements', statementLoad(2))]);
    await waitFor('the second run', async () => (await served()) === statement(2));
    await otherInvalidation.stop();
    await otherDatabase.close();
  });
});
