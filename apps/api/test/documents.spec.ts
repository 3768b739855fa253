import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  FolderStorage,
  ObjectDocumentStore,
  PostgresDocumentStore,
  type DocumentRecord,
  type DocumentStore,
  type S3Credentials,
  S3Storage,
} from '@ssb/documents';
import { createLogger } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import { SCHEMA } from '@ssb/postgres/archive-schema';
import { startTestS3, waitFor, type TestS3 } from '@ssb/testing';
import { Documents } from '../src/documents/documents.js';
import { RunningApi } from './support/running-api.js';

const LARGE = Buffer.concat([Buffer.from('%PDF-1.7 '), Buffer.alloc(10_485_760, 7), Buffer.from('%%EOF')]);
const SMALL = Buffer.from('%PDF-1.7 %%EOF');

const recordOf = (content: Buffer, number: number, change: Partial<DocumentRecord> = {}): DocumentRecord => ({
  kind: 'invoice',
  participant: 'WPGENCO',
  market: 'WEM',
  periodFrom: '2026-03-01',
  designation: 'INITIAL',
  reference: `INV-${number}`,
  version: 'a'.repeat(64),
  id: `0000000${number}-1111-4111-8111-111111111111`,
  sha256: createHash('sha256').update(content).digest('hex'),
  bytes: content.length,
  storedAt: new Date(Date.UTC(2026, 2, number)).toISOString(),
  ...change,
});

const RECORDS = [
  recordOf(SMALL, 1),
  recordOf(LARGE, 2, { reference: 'INV/"\r\n2' }),
  recordOf(SMALL, 3, { market: 'STEM' }),
  recordOf(SMALL, 4, { participant: 'OTHER', id: '00000003-2222-4222-8222-222222222222' }),
] as const;
const [FIRST, SECOND, THIRD, FOREIGN] = RECORDS;

async function fill(store: DocumentStore): Promise<void> {
  for (const record of RECORDS) await store.put(record, record === SECOND ? LARGE : SMALL);
  await store.close();
}

describe('documents', () => {
  let api: RunningApi;
  const ids = async (query: string, token = api.viewer): Promise<readonly string[]> => {
    const { items } = (await api.get(`/v1/documents${query}`, { token })).json<{
      items: readonly { id: string }[];
    }>();
    return items.map(({ id }) => id);
  };
  const download = (
    id: string,
    headers: Record<string, string> = {},
    token = api.viewer,
  ): Promise<Response> =>
    fetch(`${api.urls.api}/v1/documents/${id}/content`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    });

  beforeAll(async () => {
    api = await RunningApi.start();
    const database = new Database({ url: api.tables.pollerUrl, schema: SCHEMA, connections: 1 });
    await fill(new PostgresDocumentStore(database, 100_000_000));
  });
  afterAll(() => api.close());

  it('are listed by participant, market, invoice and time, in pages, the newest first', async () => {
    const all = [FOREIGN, THIRD, SECOND, FIRST].map(({ id }) => id);
    expect(await ids('')).toEqual(all);
    expect(await ids('?participant=OTHER')).toEqual([FOREIGN.id]);
    expect(await ids('?market=STEM')).toEqual([THIRD.id]);
    expect(await ids('?invoice=INV-1')).toEqual([FIRST.id]);
    expect(await ids('?since=2026-03-03T00:00:00Z&until=2026-03-04T00:00:00Z')).toEqual([THIRD.id]);
    const page = (await api.get('/v1/documents?limit=3')).json<{ next: string }>();
    expect(await ids(`?limit=3&cursor=${page.next}`)).toEqual([FIRST.id]);
    expect((await api.get('/v1/documents?cursor=other')).status).toBe(422);
    const csv = await api.get('/v1/documents?invoice=INV-1', { headers: { accept: 'text/csv' } });
    expect(csv.body.split('\r\n')[1]).toContain(FIRST.sha256);
  });

  it('show what is known of them, also by the beginning of an id', async () => {
    const { id, participant, market, periodFrom, designation, bytes, sha256, storedAt } = FIRST;
    const expected = {
      ...{ id, participant, market, periodFrom, designation, bytes, sha256, storedAt },
      ...{ invoice: FIRST.reference, digest: FIRST.version, mediaType: 'application/pdf' },
    };
    for (const id of [FIRST.id, FIRST.id.toUpperCase(), '00000001'])
      expect((await api.get(`/v1/documents/${id}`)).json()).toEqual(expected);
    const several = await api.get('/v1/documents/00000003');
    expect(several.status).toBe(409);
    expect(several.json<{ detail: string }>().detail).toContain(THIRD.id);
    expect((await api.get('/v1/documents/000')).status).toBe(422);
  });

  it('are sent byte for byte, as a download that no browser shows as a page', async () => {
    for (const [record, content] of [
      [FIRST, SMALL],
      [SECOND, LARGE],
    ] as const) {
      const response = await download(record.id, { 'accept-encoding': 'gzip' });
      expect(response.status).toBe(200);
      expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
      const name =
        record === FIRST ? 'invoice-WEM-2026-03-01-INITIAL-INV-1' : 'invoice-WEM-2026-03-01-INITIAL-INV_2';
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'application/pdf',
        'content-length': String(content.length),
        'content-disposition': `attachment; filename="${name}.pdf"`,
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-store',
        etag: `"${record.sha256}"`,
      });
    }
    expect((await download(FIRST.id, { 'if-none-match': `"${FIRST.sha256}"` })).status).toBe(304);
    expect((await download(FIRST.id, { accept: 'text/html' })).status).toBe(406);
  });

  it('are shown to nobody who may not see their participant', async () => {
    expect(await ids('', api.limited)).toEqual([THIRD, SECOND, FIRST].map(({ id }) => id));
    expect(await ids('?participant=OTHER', api.limited)).toEqual([]);
    expect((await api.get('/v1/documents/00000003', { token: api.limited })).json()).toMatchObject({
      id: THIRD.id,
    });
    for (const path of [FOREIGN.id, `${FOREIGN.id}/content`])
      expect((await api.get(`/v1/documents/${path}`, { token: api.limited })).status).toBe(404);
    expect((await api.get(`/v1/documents?cursor=${FOREIGN.id}`, { token: api.limited })).status).toBe(422);
    expect((await fetch(`${api.urls.api}/v1/documents/${FIRST.id}/content`)).status).toBe(401);
  });

  it('that are damaged are never sent as a whole', async () => {
    await api.tables.admin.query(
      `UPDATE document_content SET content = set_byte(content, 2000000, 0) WHERE document_id = '${SECOND.id}'`,
    );
    const response = await download(SECOND.id);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });
});

describe('another store', () => {
  let folder: string;
  let storage: TestS3;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'documents-'));
    storage = await startTestS3();
    const { url, region, accessKeyId, secretAccessKey } = storage;
    writeFileSync(join(folder, 'access'), accessKeyId);
    writeFileSync(join(folder, 'secret'), secretAccessKey);
    mkdirSync(folderSettings().DOCUMENT_FOLDER);
    await fill(new ObjectDocumentStore(new FolderStorage(folderSettings().DOCUMENT_FOLDER), 100_000_000));
    const credentials = (): S3Credentials => ({ accessKeyId, secretAccessKey });
    const s3 = new S3Storage({ url, region, credentials, connection: {}, timeoutMs: 30_000 });
    await fill(new ObjectDocumentStore(s3, 100_000_000));
  });
  afterAll(async () => {
    await storage.stop();
    rmSync(folder, { recursive: true });
  });

  const folderSettings = () => ({ DOCUMENT_STORE: 'folder', DOCUMENT_FOLDER: join(folder, 'documents') });
  const s3Settings = () => ({
    DOCUMENT_STORE: 's3',
    DOCUMENT_S3_URL: storage.url,
    DOCUMENT_S3_REGION: storage.region,
    DOCUMENT_S3_ACCESS_KEY_FILE: join(folder, 'access'),
    DOCUMENT_S3_SECRET_KEY_FILE: join(folder, 'secret'),
  });

  it.each([
    ['of a folder', folderSettings],
    ['of an S3-compatible storage', s3Settings],
  ])('%s serves the same, also after many requests of what a client has', async (_, settings) => {
    const api = await RunningApi.start(settings());
    try {
      const listed = (await api.get('/v1/documents', { token: api.limited })).json<{
        items: { id: string }[];
      }>();
      expect(listed.items.map(({ id }) => id)).toEqual([THIRD, SECOND, FIRST].map(({ id }) => id));
      const headers = { 'if-none-match': `"${FIRST.sha256}"` };
      for (let count = 0; count < 10; count += 1)
        expect((await api.get(`/v1/documents/${FIRST.id}/content`, { headers })).status).toBe(304);
      expect((await api.get(`/v1/documents/${FIRST.id}/content`)).body).toBe(SMALL.toString());
    } finally {
      await api.close();
    }
  });

  it('that fails is 503, also when its listed document cannot be read', async () => {
    const api = await RunningApi.start(s3Settings());
    const path = `/v1/documents/${FIRST.id}/content`;
    try {
      storage.failWith = 500;
      expect((await api.get(path)).status).toBe(503);
      storage.failWith = undefined;
      storage.interruption = { afterBytes: 0, how: 'close', only: /_\d+$/ };
      const response = await api.get(path);
      expect([response.status, response.json()['status']]).toEqual([503, 503]);
      expect(response.headers.get('etag')).not.toBe(`"${FIRST.sha256}"`);
      expect(response.headers.has('content-disposition')).toBe(false);
    } finally {
      storage.failWith = storage.interruption = undefined;
      await api.close();
    }
  });

  it('of a missing folder is 503, and is reported at the start', async () => {
    const missing = join(folder, 'missing');
    const api = await RunningApi.start({ DOCUMENT_STORE: 'folder', DOCUMENT_FOLDER: missing });
    try {
      for (const path of ['', `/${FIRST.id}`, `/${FIRST.id}/content`])
        expect((await api.get(`/v1/documents${path}`)).status).toBe(503);
    } finally {
      await api.close();
    }
    const lines: string[] = [];
    const stream = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ name: 'api', level: 'error', format: 'json', stream });
    new Documents(new ObjectDocumentStore(new FolderStorage(missing)), log).onApplicationBootstrap();
    await waitFor('the report', () => lines.join('').includes('document store cannot be used'));
  });

  it('that is none has no documents', async () => {
    const api = await RunningApi.start({ DOCUMENT_STORE: 'none' });
    try {
      expect((await api.get('/v1/documents')).json()).toEqual({ items: [] });
      expect((await api.get(`/v1/documents/${FIRST.id}/content`)).status).toBe(404);
    } finally {
      await api.close();
    }
  });
});
