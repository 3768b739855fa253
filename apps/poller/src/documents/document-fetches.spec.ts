import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderStorage, ObjectDocumentStore, type DocumentStore } from '@ssb/documents';
import { InvoiceFileError, NoResponseError, ReportingUnavailableError } from '@ssb/market';
import { decimal, INVOICE, RUN } from '../../test/support/settlement.js';
import { PollBench, timelineOf } from '../../test/support/settlement-poll.js';

const INVOICE_REQUEST = 'invoice WEM 2026-03-01 INITIAL';
const FILE_REQUEST = 'file WEM 2026-03-01 INITIAL';
const PART = 'document:WEM|2026-03-01|INITIAL';
const PDF = Buffer.from('%PDF-1.7 the invoice %%EOF');
const SHA256 = createHash('sha256').update(PDF).digest('hex');
const REFUSED = new InvoiceFileError('operation 8', 'truncated', 'without its end');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'documents-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const openStore = (maxBytes = 1_000): ObjectDocumentStore =>
  new ObjectDocumentStore(new FolderStorage(folder), maxBytes);

/** A poll on the day of an invoice, whose document is this response. */
function open(file: object | undefined, documents: DocumentStore = openStore()): PollBench {
  const bench = new PollBench('2026-03-13T12:00:00', documents);
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

it('it is the last request of a poll, and waits while the budget has no room beside the polls', async () => {
  const bench = open(PDF);
  bench.hasSpareRequest = false;
  await bench.runUntil('2026-03-13T12:02:00');
  expect(bench.count(FILE_REQUEST)).toBe(0);
  bench.hasSpareRequest = true;
  await bench.run();
  expect(bench.requests.at(-1)).toBe(FILE_REQUEST);
  expect(stored(bench)).toHaveLength(1);
});

it('each version of an invoice has its own document', async () => {
  const bench = open(PDF);
  await bench.run();
  const revised = {
    ...INVOICE,
    paymentSummary: { total: decimal('1'), payableAmount: decimal('1'), settlementRequired: true },
  };
  bench.responses.set(INVOICE_REQUEST, revised);
  bench.responses.set(FILE_REQUEST, Buffer.from('%PDF-1.7 revised %%EOF'));
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
  after(bench, 23 * 60);
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
      overdueSince: '2026-03-14T04:00:00.000Z',
      detail: expect.any(String) as unknown,
    },
  ]);
  bench.responses.set(FILE_REQUEST, PDF);
  after(bench, 6 * 60);
  const last = await bench.run();
  expect(bench.openItems).toMatchObject([{ kind: 'statement' }]);
  expect([last.unusable, last.isReadable('invoice-documents')]).toEqual([[], true]);
});

it('a full store takes no further document, removes none, and is reported', async () => {
  const bench = open(PDF, openStore(PDF.length - 1));
  const { leftOut, unusable } = await bench.run();
  expect(unusable).toEqual([]);
  expect(leftOut).toEqual([
    'settlement: 1 documents of invoices left out, 0 kept (DOCUMENT_STORE_MAX_BYTES is reached)',
  ]);
  expect(stored(bench)).toEqual([]);
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
