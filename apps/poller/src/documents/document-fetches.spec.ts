import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderStorage, ObjectDocumentStore, type DocumentRecord, type DocumentStore } from '@ssb/documents';
import {
  InvoiceFileError,
  NoResponseError,
  parseMarketDateTime,
  ReportingUnavailableError,
} from '@ssb/market';
import type { SettlementRun } from '../detection/settlement/runs.js';
import { decimal, INVOICE, RUN } from '../../test/support/settlement.js';
import { PollBench, timelineOf } from '../../test/support/settlement-poll.js';
import { DocumentTransfers } from './document-transfers.js';

const INVOICE_REQUEST = 'invoice WEM 2026-03-01 INITIAL';
const FILE_REQUEST = 'file WEM 2026-03-01 INITIAL';
const PART = 'document:WEM|2026-03-01|INITIAL';
const PDF = Buffer.from('%PDF-1.7 the invoice %%EOF');
const SHA256 = createHash('sha256').update(PDF).digest('hex');
const REFUSED = new InvoiceFileError('operation 8', 'truncated', 'without its end');

const OTHER_VERSION = {
  ...INVOICE,
  paymentSummary: { total: decimal('1'), payableAmount: decimal('1'), settlementRequired: true },
};
const OTHER_PDF = Buffer.from('%PDF-1.7 revised %%EOF');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'documents-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const openStore = (maxBytes = 1_000): ObjectDocumentStore =>
  new ObjectDocumentStore(new FolderStorage(folder), maxBytes);

/** A poll on the day of an invoice, whose document is this response. */
function open(
  file: object | undefined,
  documents: DocumentStore = openStore(),
  transfers?: DocumentTransfers,
  storeTimeoutMs?: number,
): PollBench {
  const bench = new PollBench('2026-03-13T12:00:00', documents, transfers, storeTimeoutMs);
  bench.responses.set('timeline', timelineOf(RUN));
  bench.responses.set(INVOICE_REQUEST, INVOICE);
  if (file !== undefined) bench.responses.set(FILE_REQUEST, file);
  return bench;
}

const after = (bench: PollBench, minutes: number): void => {
  bench.now = new Date(bench.now.getTime() + minutes * 60_000);
};

const stored = (bench: PollBench) =>
  bench.events.filter(({ type }) => type === 'settlementbus.invoice.document-stored.v1');

it('the document of a new invoice is stored, then announced with its hash', async () => {
  const store = openStore();
  const bench = open(PDF, store);
  const { failures, unusable } = await bench.run();
  expect([failures, unusable]).toEqual([[], []]);
  expect(bench.types().slice(-2)).toEqual(['invoice.issued', 'invoice.document-stored']);
  const [event] = stored(bench);
  const invoice = bench.events.find(({ type }) => type === 'settlementbus.invoice.issued.v1');
  expect(event).toMatchObject({
    subject: 'ALPHA/WEM/2026-03-01/INITIAL/invoice/INV-1/document',
    data: {
      invoiceId: 'INV-1',
      digest: invoice?.data['digest' as never],
      sha256: SHA256,
      bytes: PDF.length,
      mediaType: 'application/pdf',
      storedAt: '2026-03-13T04:00:00.000Z',
    },
  });
  expect(await store.get(event?.id ?? '')).toMatchObject({ participant: 'ALPHA', sha256: SHA256 });
  await bench.runUntil('2026-03-13T13:00:00', 60);
  expect(bench.count(FILE_REQUEST)).toBe(1);
});

it('it comes last in a poll, before its invoice once more, and waits while the budget has no room beside the polls', async () => {
  const bench = open(PDF);
  bench.hasSpareRequest = false;
  await bench.runUntil('2026-03-13T12:02:00');
  expect(bench.count(FILE_REQUEST)).toBe(0);
  bench.hasSpareRequest = true;
  await bench.run();
  expect(bench.requests.slice(-2)).toEqual([FILE_REQUEST, INVOICE_REQUEST]);
  expect(stored(bench)).toHaveLength(1);
});

it('each version of an invoice has its own document', async () => {
  const bench = open(PDF);
  await bench.run();
  bench.responses.set(INVOICE_REQUEST, OTHER_VERSION);
  bench.responses.set(FILE_REQUEST, OTHER_PDF);
  after(bench, 60);
  await bench.run();
  const [first, second] = stored(bench);
  expect(second?.subject).toBe(first?.subject);
  expect(second?.id).not.toBe(first?.id);
  expect(second?.sequence.localeCompare(first?.sequence ?? '')).toBe(1);
});

it('a crash after the document was stored loses no event, and raises none twice', async () => {
  const bench = open(PDF);
  await bench.run();
  expect(stored(bench)).toHaveLength(1);
  // Nothing of its state was saved.
  const other = open(Buffer.from('%PDF-1.7 another rendering %%EOF'));
  await other.run();
  expect(stored(other).map((event) => [event.id, event.data])).toEqual(
    stored(bench).map((event) => [event.id, event.data]),
  );
  expect(other.count(FILE_REQUEST)).toBe(0);
});

it('an event that could not be queued is queued by the next poll', async () => {
  const bench = open(PDF);
  bench.hasSpareRequest = false;
  await bench.run();
  bench.hasSpareRequest = true;
  bench.isQueueDown = true;
  after(bench, 1);
  await expect(bench.run()).rejects.toThrow('the queue is down');
  bench.isQueueDown = false;
  after(bench, 1);
  await bench.run();
  expect(stored(bench)).toHaveLength(1);
  expect(bench.count(FILE_REQUEST)).toBe(1);
});

it('a document that is refused is reported, requested again less and less often, and stored once it is usable', async () => {
  const bench = open(REFUSED);
  const { unusable, failures, isReadable } = await bench.run();
  expect(unusable).toEqual([
    { document: PART, detail: expect.stringContaining('without its end') as unknown },
  ]);
  expect(failures).toEqual([REFUSED]);
  expect(isReadable(PART)).toBe(false);
  expect(bench.lines).toMatchObject([{ msg: 'response partly unreadable', resource: 'document' }]);
  await bench.runUntil('2026-03-13T14:00:00');
  // After 1, 3, 7, 15, 31 and 63 minutes.
  expect(bench.count(FILE_REQUEST)).toBe(7);
  expect((await bench.run()).unusable).toHaveLength(1);
  bench.responses.set(FILE_REQUEST, PDF);
  after(bench, 60);
  const last = await bench.run();
  expect(last.unusable).toEqual([]);
  expect(last.isReadable(PART)).toBe(true);
  expect(stored(bench)).toHaveLength(1);
});

it('a document that is too large is refused', async () => {
  const cause = new NoResponseError('too-large', 'more than 16777216 bytes');
  const bench = open(new ReportingUnavailableError('operation 8', undefined, undefined, { cause }));
  const { unusable } = await bench.run();
  expect(unusable).toMatchObject([
    { document: PART, detail: expect.stringContaining('more than 16777216') as unknown },
  ]);
  expect(await bench.metrics.registry.metrics()).toContain(
    'settlement_bridge_poller_documents_refused_total{reason="too-large"} 1',
  );
});

it.each([
  ['not served', undefined],
  ['not received', new ReportingUnavailableError('operation 8', 503, undefined)],
])('a document that is %s is reported after a day, and its fault ends', async (_, response) => {
  const bench = open(response);
  expect((await bench.run()).unusable).toEqual([]);
  // The invoice was there at the first request, so it may be as old as its day.
  after(bench, 11 * 60);
  expect((await bench.run()).unusable).toEqual([]);
  after(bench, 61);
  const { unusable, isReadable } = await bench.run();
  expect(unusable).toMatchObject([{ document: 'invoice-documents' }]);
  expect(isReadable('invoice-documents')).toBe(false);
  expect(isReadable(PART)).toBe(true);
  expect(bench.openItems).toMatchObject([
    { kind: 'statement' },
    {
      kind: 'document',
      market: 'WEM',
      designation: 'INITIAL',
      invoiceNumber: 'INV-1',
      since: '2026-03-12T16:00:00.000Z',
      overdueSince: '2026-03-13T16:00:00.000Z',
      detail: expect.any(String) as unknown,
    },
  ]);
  bench.responses.set(FILE_REQUEST, PDF);
  after(bench, 6 * 60);
  const last = await bench.run();
  expect(bench.openItems).toMatchObject([{ kind: 'statement' }]);
  expect([last.unusable, last.isReadable('invoice-documents')]).toEqual([[], true]);
});

it('a full store is reported, removes nothing, and no document is transferred until it has room', async () => {
  const maxBytes = PDF.length + 9;
  const store = openStore(maxBytes);
  const other = Buffer.from('%PDF %%EOF');
  await open(other, store).run();
  const bench = open(PDF, store, new DocumentTransfers(maxBytes));
  bench.responses.set(INVOICE_REQUEST, OTHER_VERSION);
  const { leftOut, unusable } = await bench.run();
  expect(unusable).toEqual([]);
  expect(leftOut).toEqual([
    'settlement: 1 documents of invoices left out, 0 kept (DOCUMENT_STORE_MAX_BYTES is reached)',
  ]);
  await bench.runUntil('2026-03-13T14:00:00', 60);
  expect(bench.count(FILE_REQUEST)).toBe(1);
  expect((await bench.run()).leftOut).toHaveLength(1);
  expect(stored(bench)).toEqual([]);
  await store.removeBefore(bench.now);
  after(bench, 10);
  expect((await bench.run()).leftOut).toEqual([]);
  expect(stored(bench)).toHaveLength(1);
});

it('while others transfer their documents, one waits for a later poll', async () => {
  const transfers = new DocumentTransfers(1_000);
  const ends: (() => void)[] = [];
  const others = [1, 2].map(() => transfers.run(() => new Promise<void>((resolve) => ends.push(resolve))));
  const bench = open(PDF, openStore(), transfers);
  await bench.run();
  expect(bench.count(FILE_REQUEST)).toBe(0);
  for (const end of ends) end();
  await Promise.all(others);
  await bench.run();
  expect(stored(bench)).toHaveLength(1);
});

it.each(['find', 'put'] as const)(
  'a store that never responds to %s ends no poll, and is given up after its deadline',
  async (method) => {
    const store = Object.assign(openStore(), { [method]: () => new Promise(() => undefined) });
    const bench = open(PDF, store, undefined, 50);
    expect(await bench.run()).toMatchObject({ failures: [] });
    expect(bench.lines).toMatchObject([{ detail: expect.stringContaining('no response within') as unknown }]);
    expect(stored(bench)).toEqual([]);
    expect(bench.types()).toContain('invoice.issued');
  },
);

describe('the document of another version', () => {
  it('is not stored as that of the version that was seen before', async () => {
    const bench = open(undefined);
    await bench.run();
    const requests = bench.count(INVOICE_REQUEST);
    bench.responses.set(INVOICE_REQUEST, OTHER_VERSION);
    bench.responses.set(FILE_REQUEST, OTHER_PDF);
    after(bench, 1);
    await bench.run();
    expect(bench.count(FILE_REQUEST)).toBe(2);
    // Only the confirmation requested the invoice.
    expect(bench.count(INVOICE_REQUEST)).toBe(requests + 1);
    expect(stored(bench)).toEqual([]);
    await bench.run();
    const [issued, changed] = bench.events.filter(({ type }) => type === 'settlementbus.invoice.issued.v1');
    expect(issued?.data['digest' as never]).not.toBe(changed?.data['digest' as never]);
    expect(stored(bench)).toMatchObject([
      { data: { digest: changed?.data['digest' as never], bytes: OTHER_PDF.length } },
    ]);
    expect(await bench.metrics.registry.metrics()).toContain('given_up_total{reason="replaced"} 1');
  });

  it('is not stored while the invoice cannot be confirmed', async () => {
    const bench = open(undefined);
    await bench.run();
    bench.responses.set(FILE_REQUEST, PDF);
    bench.responses.set(INVOICE_REQUEST, new ReportingUnavailableError('operation 9', 503, undefined));
    after(bench, 1);
    await bench.run();
    expect(stored(bench)).toEqual([]);
    bench.responses.set(INVOICE_REQUEST, INVOICE);
    after(bench, 2);
    await bench.run();
    expect(stored(bench)).toHaveLength(1);
  });
});

describe('a missing document is given up, with a log line and a count,', () => {
  const givenUp = (bench: PollBench) => bench.lines.filter(({ msg }) => msg === 'documents given up');

  it('31 days after its invoice was seen', async () => {
    const bench = open(undefined);
    await bench.run();
    after(bench, 30 * 24 * 60);
    expect((await bench.run()).unusable).toHaveLength(1);
    after(bench, 24 * 60);
    const { unusable, isReadable } = await bench.run();
    expect([unusable, isReadable('invoice-documents')]).toEqual([[], true]);
    expect(bench.openItems.filter(({ kind }) => kind === 'document')).toEqual([]);
    const requests = bench.count(FILE_REQUEST);
    after(bench, 24 * 60);
    await bench.run();
    expect(bench.count(FILE_REQUEST)).toBe(requests);
    expect(givenUp(bench)).toMatchObject([{ reason: 'not-served', count: 1, documents: [`${PART} INV-1`] }]);
    const metrics = await bench.metrics.registry.metrics();
    expect(metrics).toContain('given_up_total{reason="not-served"} 1');
    expect(metrics).toContain('settlement_bridge_poller_documents_missing{participant="ALPHA"} 0');
  });

  it('without a request when its invoice was old already', async () => {
    const bench = open(PDF);
    after(bench, 32 * 24 * 60);
    await bench.run();
    await bench.run();
    expect(bench.types()).toContain('invoice.issued');
    expect(bench.count(FILE_REQUEST)).toBe(0);
    expect(givenUp(bench)).toMatchObject([{ reason: 'old', count: 1 }]);
  });

  it.each([true, false])('when its invoice is replaced (requested before: %s)', async (isRequested) => {
    const bench = open(undefined);
    bench.hasSpareRequest = isRequested;
    await bench.run();
    bench.hasSpareRequest = false;
    bench.responses.set(INVOICE_REQUEST, OTHER_VERSION);
    after(bench, 120);
    await bench.run();
    await bench.run();
    expect(givenUp(bench)).toMatchObject([{ reason: 'replaced', count: 1 }]);
    expect(bench.openItems.filter(({ kind }) => kind === 'document')).toHaveLength(1);
  });
});

it('a document that the budget never had room for is missing since its invoice was seen, also after a restart', async () => {
  const bench = open(PDF);
  bench.hasSpareRequest = false;
  await bench.runUntil('2026-03-14T00:00:00', 600);
  expect((await bench.run()).unusable).toMatchObject([
    { detail: expect.stringContaining('since 2026-03-12T16:00:00.000Z: the request budget') as unknown },
  ]);
  expect(await bench.metrics.registry.metrics()).toContain(
    `document_missing_since_timestamp_seconds{participant="ALPHA"} ${Date.parse('2026-03-12T16:00:00Z') / 1_000}`,
  );
});

it('without a store, the faults of documents end', async () => {
  const bench = new PollBench('2026-03-13T12:00:00');
  bench.responses.set('timeline', timelineOf(RUN));
  const { isReadable } = await bench.run();
  expect([isReadable(PART), isReadable('invoice-documents')]).toEqual([true, true]);
});

/** Runs whose invoices have the same figures and different names. */
function openMany(count: number, file: object, documents: DocumentStore = openStore()): PollBench {
  const bench = open(undefined, documents);
  const runs = Array.from({ length: count }, (_, index): SettlementRun => {
    const periodFrom = parseMarketDateTime(`2026-02-0${index + 1}T00:00:00`);
    const name = `WEM 2026-02-0${index + 1} INITIAL`;
    bench.responses.set(`invoice ${name}`, { ...INVOICE, id: `INV-${index}` });
    bench.responses.set(`file ${name}`, file);
    return { ...RUN, periodFrom };
  });
  bench.responses.set('timeline', timelineOf(...runs));
  return bench;
}

it('at most five refused documents have a fault each, the others share one', async () => {
  const bench = openMany(8, REFUSED);
  await bench.runUntil('2026-03-13T12:10:00');
  const { unusable } = await bench.run();
  const [last, ...named] = unusable.toReversed();
  expect(named.map(({ document }) => document)).toEqual(
    [5, 4, 3, 2, 1].map((index) => `document:WEM|2026-02-0${index}|INITIAL`),
  );
  expect(last).toMatchObject({
    document: 'invoice-documents',
    detail: expect.stringMatching(
      /^3 documents .+ \(document:WEM\|2026-02-06.+without its end.+the last \(document:WEM\|2026-02-08/,
    ) as unknown,
  });
});

describe('a store that does not take', () => {
  const failing = (mayPut: (record: DocumentRecord) => boolean): DocumentStore => {
    const store = openStore();
    const put: DocumentStore['put'] = (record, content) =>
      mayPut(record)
        ? ObjectDocumentStore.prototype.put.call(store, record, content)
        : Promise.reject(new Error('not this one'));
    return Object.assign(store, { put });
  };

  it('one document stores the others, and is asked for that one less and less often', async () => {
    const store = failing(({ reference }) => reference !== 'INV-1');
    const bench = openMany(3, PDF, store);
    await bench.runUntil('2026-03-13T14:00:00');
    expect(stored(bench)).toHaveLength(2);
    expect(bench.count('file WEM 2026-02-02 INITIAL')).toBe(7);
    expect(bench.openItems).toMatchObject(
      [{}, {}, {}].map(() => ({ kind: 'statement' })).concat([{ kind: 'document' }]),
    );
    expect((await bench.run()).leftOut).toEqual([]);
  });

  it('two documents is paused', async () => {
    const bench = openMany(
      3,
      PDF,
      failing(() => false),
    );
    await bench.run();
    await bench.run();
    expect(bench.lines.filter(({ msg }) => msg === 'document store failed')).toHaveLength(1);
    expect(bench.requests.filter((request) => request.startsWith('file '))).toHaveLength(2);
    await bench.runUntil('2026-03-13T12:10:00');
    expect((await bench.run()).leftOut).toEqual([expect.stringContaining('not this one') as unknown]);
  });
});

it('a store that fails is asked before the operator, with pauses, and is reported after five minutes', async () => {
  const store = openStore();
  let isDown = true;
  const find: DocumentStore['find'] = (key) =>
    isDown
      ? Promise.reject(new Error('the disk is gone'))
      : ObjectDocumentStore.prototype.find.call(store, key);
  const bench = open(PDF, Object.assign(openStore(), { find }));
  expect(await bench.run()).toMatchObject({ leftOut: [], failures: [] });
  expect(bench.types().at(-1)).toBe('invoice.issued');
  await bench.runUntil('2026-03-13T12:10:00');
  expect(bench.count(FILE_REQUEST)).toBe(0);
  expect(bench.lines.filter(({ msg }) => msg === 'document store failed')).toHaveLength(4);
  expect((await bench.run()).leftOut).toEqual([
    'settlement: 1 documents of invoices left out, 0 kept (The document store cannot be used: the disk is gone)',
  ]);
  isDown = false;
  after(bench, 10);
  expect((await bench.run()).leftOut).toEqual([]);
  expect(stored(bench)).toHaveLength(1);
});
