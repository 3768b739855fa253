import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSchema, Database, withRole } from '@ssb/postgres';
import { migrations, OBSOLETE_ROLES, POLLER_ROLE, SCHEMA } from '@ssb/postgres/archive-schema';
import { createTestDatabase, signatureOf, startTestS3, type TestDatabase, type TestS3 } from '@ssb/testing';
import { describeDocumentStore, documentOf } from '../test/document-store.conformance.js';
import { DocumentStoreError } from './document-store.js';
import { FolderStorage } from './objects/folder-storage.js';
import { contentKey } from './objects/object-keys.js';
import { ObjectDocumentStore } from './objects/object-document-store.js';
import { S3Storage } from './objects/s3-storage.js';
import { PostgresDocumentStore } from './postgres-document-store.js';

describe('PostgreSQL', () => {
  let server: TestDatabase;
  let url: string;
  const open = (role: string): Database =>
    new Database({ url: withRole(url, role, role), schema: SCHEMA, connections: 2 });

  beforeAll(async () => {
    server = await createTestDatabase();
    url = await createSchema(server.adminUrl, {
      schema: SCHEMA,
      migrations,
      passwords: { run: 'run', migration: 'migration' },
      furtherRoles: { api: 'api', poller: 'poller' },
      obsoleteRoles: OBSOLETE_ROLES,
    });
  });

  afterAll(() => server.close());

  describeDocumentStore('PostgresDocumentStore', {
    open: async (maxBytes) => {
      await server.query('DELETE FROM subscriber.document');
      return new PostgresDocumentStore(open(POLLER_ROLE), maxBytes);
    },
    openAgain: (maxBytes) => new PostgresDocumentStore(open('api'), maxBytes),
    damage: async ({ id }) => {
      await server.query(
        `UPDATE subscriber.document_content SET content = set_byte(content, 0, 0) WHERE document_id = '${id}'`,
      );
    },
  });

  it('removes documents with several statements of a limited size', async () => {
    await server.query('DELETE FROM subscriber.document');
    const database = open(POLLER_ROLE);
    const store = new PostgresDocumentStore(database, 100, 10);
    const content = Buffer.from('content');
    const references = ['1', '2', '3', '4', '5'];
    for (const reference of references) await store.put(documentOf(content, { reference }), content);
    const query = jest.spyOn(database, 'query');
    expect((await store.removeBefore(new Date())).map(({ reference }) => reference).sort()).toEqual(
      references,
    );
    const counts = await Promise.all(query.mock.results.map(({ value }) => value as Promise<unknown[]>));
    expect(counts.map(({ length }) => length)).toEqual([2, 2, 1, 0]);
    await store.close();
  });

  it('the role of the poller reaches nothing but the documents, and that of the API only reads them', async () => {
    const rows = await server.query<{ grantee: string; table_name: string; privilege: string }>(
      `SELECT grantee, table_name::text, string_agg(privilege_type, ' ' ORDER BY privilege_type) AS privilege
       FROM information_schema.role_table_grants
       WHERE grantee = 'poller' OR (grantee = 'api' AND table_name LIKE 'document%') GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    expect(rows.map((row) => Object.values(row).join(' '))).toEqual([
      'api document SELECT',
      'api document_content SELECT',
      'poller document DELETE INSERT SELECT',
      'poller document_content INSERT SELECT',
      'poller migration SELECT',
    ]);
  });
});

describe('a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'));
  let opened = 0;
  const current = (): string => join(folder, String(opened));

  afterAll(() => rmSync(folder, { recursive: true }));

  describeDocumentStore('ObjectDocumentStore in a folder', {
    open: (maxBytes) => {
      opened += 1;
      return Promise.resolve(new ObjectDocumentStore(new FolderStorage(current(), true), maxBytes));
    },
    openAgain: (maxBytes) => new ObjectDocumentStore(new FolderStorage(current(), true), maxBytes),
    damage: (record) => {
      const path = join(current(), contentKey(record));
      const content = readFileSync(path);
      content[0] = 0;
      writeFileSync(path, content);
      return Promise.resolve();
    },
  });

  it('says why the folder cannot be used', async () => {
    opened += 1;
    writeFileSync(current(), 'a file');
    const store = new ObjectDocumentStore(new FolderStorage(current(), true), 100);
    const content = Buffer.from('content');
    await expect(store.put(documentOf(content), content)).rejects.toThrow(DocumentStoreError);
    chmodSync(current(), 0o600);
  });
});

describe('S3', () => {
  let server: TestS3;
  const storageOf = (change: Partial<TestS3> = {}): S3Storage => {
    const { url, region, accessKeyId, secretAccessKey } = { ...server, ...change };
    const credentials = (): { accessKeyId: string; secretAccessKey: string } => ({
      accessKeyId,
      secretAccessKey,
    });
    return new S3Storage({ url, region, credentials, connection: {}, timeoutMs: 30_000 });
  };

  beforeAll(async () => {
    server = await startTestS3();
  });

  afterAll(() => server.stop());

  describeDocumentStore('ObjectDocumentStore in an S3-compatible storage', {
    open: (maxBytes) => {
      server.objects.clear();
      return Promise.resolve(new ObjectDocumentStore(storageOf(), maxBytes));
    },
    openAgain: (maxBytes) => new ObjectDocumentStore(storageOf(), maxBytes),
    damage: (record) => {
      const content = server.objects.get(contentKey(record));
      if (content !== undefined) content[0] = 0;
      return Promise.resolve();
    },
  });

  it.each([
    ['another secret', { secretAccessKey: 'other' }],
    ['another key', { accessKeyId: 'OTHER' }],
    ['another region', { region: 'us-east-1' }],
  ])('names the refusal of a request with %s, and no secret', async (_, change) => {
    const store = new ObjectDocumentStore(storageOf(change), 100);
    const content = Buffer.from('content');
    const failure = store.put(documentOf(content), content);
    await expect(failure).rejects.toThrow('the storage responds 403 (SignatureDoesNotMatch)');
    await expect(failure).rejects.not.toThrow(server.secretAccessKey);
    await store.close();
  });

  it('names the failure of the storage', async () => {
    const store = new ObjectDocumentStore(storageOf(), 100);
    server.failWith = 503;
    await expect(store.usage()).rejects.toThrow('the storage responds 503 (InternalError)');
    server.failWith = undefined;
    await store.close();
  });

  // The example "GET Object" in the documentation of AWS Signature Version 4 for Amazon S3.
  it('the test server computes the signature of the documented example', () => {
    const headers = {
      host: 'examplebucket.s3.amazonaws.com',
      range: 'bytes=0-9',
      'x-amz-content-sha256': createHash('sha256').update('').digest('hex'),
      'x-amz-date': '20130524T000000Z',
    };
    const signed = 'host;range;x-amz-content-sha256;x-amz-date';
    const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
    const scope = '20130524/us-east-1/s3/aws4_request';
    expect(signatureOf({ method: 'GET', url: '/test.txt', headers }, scope, signed, secret)).toBe(
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    );
    const list = { ...headers, range: undefined };
    expect(
      signatureOf(
        { method: 'GET', url: '/?max-keys=2&prefix=J', headers: list },
        scope,
        'host;x-amz-content-sha256;x-amz-date',
        secret,
      ),
    ).toBe('34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7');
  });
});
