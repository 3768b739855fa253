import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import {
  FolderStorage,
  ObjectDocumentStore,
  PostgresDocumentStore,
  type DocumentStore,
} from '@ssb/documents';
import { createSchema, Database, withRole } from '@ssb/postgres';
import { migrations, OBSOLETE_ROLES, SCHEMA } from '@ssb/postgres/archive-schema';
import { createTestDatabase, startTestS3, waitFor, type TestDatabase } from '@ssb/testing';
import {
  INVOICE,
  invoice,
  INVOICE_FILE,
  STATEMENT,
  statement,
  TIMELINE,
  timeline,
} from './support/market-responses.js';
import {
  drain,
  folder,
  lines,
  market,
  metric,
  metricOf,
  participant,
  prefix,
  requestCount,
  setUpPollerTests,
  start,
} from './support/running-poller.js';

setUpPollerTests();

const STORED = 'settlementbus.invoice.document-stored.v1';
const pdfOf = (bytes: number): Buffer =>
  Buffer.concat([Buffer.from('%PDF-1.7\n%'), Buffer.alloc(bytes - 16, 'x'), Buffer.from('\n%%EOF')]);
const sha256Of = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const HTML = Buffer.from('<!DOCTYPE html><html><body>Sign in</body></html>');

let database: TestDatabase;
let url: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const runUrl = await createSchema(database.adminUrl, {
    schema: SCHEMA,
    migrations,
    passwords: { run: 'run', migration: 'migration' },
    furtherRoles: { api: 'api', poller: 'poller' },
    obsoleteRoles: OBSOLETE_ROLES,
  });
  url = withRole(runUrl, 'poller', 'poller');
});

afterAll(() => database.close());

beforeEach(() => {
  market.responses.set(TIMELINE, timeline());
  market.responses.set(STATEMENT, statement());
  market.responses.set(INVOICE, invoice());
});

const postgres = () => ({ DOCUMENT_STORE: 'postgres', DATABASE_URL: url });
const isStored = (): boolean =>
  lines.some(({ step, eventType }) => step === 'queued' && eventType === STORED);
const faults = () => lines.filter(({ msg }) => msg === 'fault reported');

/** Reads the document that the event names from another connection to the store. */
async function readStored(store: DocumentStore): Promise<Buffer> {
  const event = (await drain()).find(({ type }) => type === STORED);
  const opened = await store.open(event?.id ?? '');
  const parts: Uint8Array[] = [];
  for await (const part of opened?.content ?? []) parts.push(part);
  await store.close();
  const content = Buffer.concat(parts);
  expect(event?.data).toMatchObject({ invoiceId: 'INV-1', sha256: sha256Of(content), bytes: content.length });
  return content;
}

const openPostgres = (): DocumentStore =>
  new PostgresDocumentStore(new Database({ url, schema: SCHEMA, connections: 1 }));

it.each([1_000_000, 10_000_000])(
  'a document of %i bytes is stored in PostgreSQL, then announced',
  async (bytes) => {
    const file = pdfOf(bytes);
    market.responses.set(INVOICE_FILE, { file });
    const { url: management } = await start(postgres());
    await waitFor('the event', isStored);
    expect((await readStored(openPostgres())).equals(file)).toBe(true);
    await waitFor('no missing document', async () => (await metricOf(management, 'documents_missing')) === 0);
    expect(requestCount(INVOICE_FILE)).toBe(1);
  },
);

it.each([
  ['no bytes', { file: Buffer.alloc(0) }, 'empty', 'no bytes'],
  ['an HTML page with status 200', { file: HTML, type: 'text/html' }, 'html', 'an HTML page'],
  ['half a document', { file: pdfOf(1_000_000).subarray(0, 500_000) }, 'truncated', 'without its end'],
  ['too large a document', { file: pdfOf(200_000) }, 'too-large', 'more than 100000 bytes'],
])('%s is refused, counted and reported until a document comes', async (_, response, reason, detail) => {
  market.responses.set(INVOICE_FILE, response);
  const { url: management } = await start({
    ...postgres(),
    DOCUMENT_MAX_BYTES: reason === 'too-large' ? '100000' : '16777216',
  });
  const fault = await waitFor('the fault', () => faults()[0]);
  expect(fault).toMatchObject({
    reason: 'operator-response-unusable',
    document: expect.stringMatching(/^document:WEM\|.+\|INITIAL$/) as unknown,
    detail: expect.stringContaining(detail) as unknown,
  });
  const refused = await metric(
    management,
    `settlement_bridge_poller_documents_refused_total{reason="${reason}"}`,
  );
  expect(Number(refused?.split(' ').at(-1))).toBeGreaterThan(0);
  expect(isStored()).toBe(false);
  market.responses.set(INVOICE_FILE, { file: pdfOf(1_000) });
  await waitFor('the event', isStored);
  await waitFor('the end of the fault', () => lines.some(({ msg }) => msg === 'fault ended'));
});

it('a transfer that ends early is repeated', async () => {
  const file = pdfOf(1_000_000);
  market.responses.set(INVOICE_FILE, { file, endAfter: 400_000 });
  const { url: management } = await start(postgres());
  await waitFor('a second request', () => requestCount(INVOICE_FILE) > 1);
  expect(await metricOf(management, 'documents_missing')).toBe(1);
  market.responses.set(INVOICE_FILE, { file });
  await waitFor('the event', isStored);
  expect((await readStored(openPostgres())).equals(file)).toBe(true);
});

it('a database that is down delays the documents and nothing else', async () => {
  market.responses.set(INVOICE_FILE, { file: pdfOf(1_000) });
  await database.shutDown();
  await start(postgres());
  await waitFor('the failure', () => lines.some(({ msg }) => msg === 'document store failed'));
  expect(requestCount(INVOICE_FILE)).toBe(0);
  expect((await drain()).map(({ type }) => type)).toContain('settlementbus.invoice.issued.v1');
  await database.start();
  await waitFor('the event', isStored);
});

it('a document in a folder is announced once, also by the next poller', async () => {
  const file = pdfOf(1_000);
  market.responses.set(INVOICE_FILE, { file });
  const store = { DOCUMENT_STORE: 'folder', DOCUMENT_FOLDER: join(folder, prefix) };
  const first = await start(store);
  await waitFor('the event', isStored);
  await first.close();
  expect(
    (await readStored(new ObjectDocumentStore(new FolderStorage(join(folder, prefix))))).equals(file),
  ).toBe(true);
  const requests = requestCount(INVOICE);
  await start(store);
  await waitFor('further polls', () => requestCount(INVOICE) > requests + 2);
  expect(requestCount(INVOICE_FILE)).toBe(1);
  expect((await drain()).filter(({ type }) => type === STORED)).toEqual([]);
});

it('documents are stored in an S3-compatible storage, with credentials of files', async () => {
  const file = pdfOf(1_000_000);
  market.responses.set(INVOICE_FILE, { file });
  const storage = await startTestS3();
  const [accessKeyFile, secretKeyFile] = [join(folder, 'access'), join(folder, 'secret')];
  writeFileSync(accessKeyFile, `${storage.accessKeyId}\n`);
  writeFileSync(secretKeyFile, 'wrong');
  await start({
    DOCUMENT_STORE: 's3',
    DOCUMENT_S3_URL: storage.url,
    DOCUMENT_S3_REGION: storage.region,
    DOCUMENT_S3_ACCESS_KEY_FILE: accessKeyFile,
    DOCUMENT_S3_SECRET_KEY_FILE: secretKeyFile,
    TLS_RELOAD_INTERVAL_MS: '20',
  });
  const failure = await waitFor('the refusal', () =>
    lines.find(({ msg }) => msg === 'document store failed'),
  );
  expect(failure['detail']).toContain('403 (SignatureDoesNotMatch)');
  writeFileSync(secretKeyFile, storage.secretAccessKey);
  await waitFor('the event', isStored);
  const [content] = [...storage.objects].filter(([key]) =>
    key.startsWith(`documents/invoice/${participant}/WEM/`),
  );
  expect(content?.[1].equals(file)).toBe(true);
  await storage.stop();
});

it('documents are removed after their days, with a log line and a metric', async () => {
  market.responses.set(INVOICE_FILE, { file: pdfOf(1_000) });
  const first = await start(postgres());
  await waitFor('the event', isStored);
  await first.close();
  await database.query(`UPDATE subscriber.document SET stored_at = now() - interval '31 days'`);
  const { url: management } = await start({ ...postgres(), DOCUMENT_RETENTION_DAYS: '30' });
  const line = await waitFor('the removal', () => lines.find(({ msg }) => msg === 'documents removed'));
  expect(line).toMatchObject({ level: 'warn' });
  const metricOfAll = async (name: string): Promise<number> =>
    Number((await metric(management, `settlement_bridge_poller_${name}`))?.split(' ').at(-1));
  expect(await metricOfAll('documents_removed_total')).toBeGreaterThan(0);
  await waitFor('the empty store', async () => (await metricOfAll('document_bytes')) === 0);
  expect(await database.query('SELECT 1 FROM subscriber.document_content')).toEqual([]);
});

it.each([
  ['DATABASE_URL', { DOCUMENT_STORE: 'postgres' }],
  ['DOCUMENT_FOLDER', { DOCUMENT_STORE: 'folder' }],
  ['DOCUMENT_S3_URL', { DOCUMENT_STORE: 's3' }],
  [
    'DOCUMENT_S3_SECRET_KEY_FILE',
    { DOCUMENT_STORE: 's3', DOCUMENT_S3_URL: 'http://127.0.0.1/b', DOCUMENT_S3_ACCESS_KEY_FILE: '/none' },
  ],
])('without %s, the poller does not start, and says what is missing', async (name, changes) => {
  await expect(start(changes)).rejects.toThrow(new RegExp(`^${name} is missing, but DOCUMENT_STORE=`));
});
