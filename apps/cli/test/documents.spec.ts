import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedServer } from '@ssb/testing';
import { runCommand } from './support/run-command.js';
import { startApi, type RunningApi } from './support/running-api.js';
import { createSubscriberTables, type SubscriberTables } from './support/subscriber-tables.js';

const CONTENT = Buffer.concat([
  Buffer.from('%PDF-1.7 '),
  Buffer.alloc(3_000_000, 0xff),
  Buffer.from('%%EOF'),
]);
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
const ID = '3f2a9c00-1111-4111-8111-111111111111';
const OTHER_ID = '4f2a9c00-1111-4111-8111-111111111111';

let tables: SubscriberTables;
let api: RunningApi;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'documents-'));
  tables = await createSubscriberTables();
  for (const [id, participant] of [
    [ID, 'WPGENCO'],
    [OTHER_ID, 'OTHER'],
  ] as const) {
    await tables.admin.query(
      `INSERT INTO document VALUES ($1::uuid, 'invoice', $2, 'WEM', '2026-03-01', 'INITIAL', 'INV-0007', 'd', $3, $4, '2026-03-25T01:00:04.250Z')`,
      [id, participant, SHA256, CONTENT.length],
    );
    await tables.admin.query('INSERT INTO document_content VALUES ($1::uuid, $2)', [id, CONTENT]);
  }
  api = await startApi(tables);
});

afterAll(async () => {
  await api.stop();
  await tables.close();
  rmSync(folder, { recursive: true });
});

it('lists the documents that the credentials may see', async () => {
  const { stdout } = await api.runAs('wendy', 'documents', 'list', '--since', '2026-03-01');
  expect(stdout.split('\n')).toHaveLength(5);
  expect(stdout).toMatch(/3f2a9c00 +2026-03-25 01:00:04Z +.*2026-03-01 +INITIAL +INV-0007 +3000014/);
  const json = await api.run('documents', 'list', '--invoice', 'INV-0007', '--json');
  expect((JSON.parse(json.stdout) as { items: object[] }).items).toHaveLength(2);
  expect((await api.run('documents', 'list', '--market', 'STEM')).stdout).toBe('No documents match.\n');
});

it('writes a document to a file that only its owner may read', async () => {
  const file = join(folder, 'invoice.pdf');
  const { status, stderr } = await api.run('documents', 'get', ID.slice(0, 6), '--out', file);
  expect([status, stderr]).toEqual([
    0,
    `${file} has the document of invoice INV-0007: 3000014 bytes, SHA-256 ${SHA256}.\n`,
  ]);
  expect(readFileSync(file).equals(CONTENT)).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('replaces a file only with --force', async () => {
  const file = join(folder, 'kept.pdf');
  writeFileSync(file, 'mine');
  const get = ['documents', 'get', ID, '--out', file];
  expect(await api.run(...get)).toEqual({
    status: 2,
    stdout: '',
    stderr: `${file} exists. Nothing was written: give another path with --out, or --force to replace it.\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect((await api.run(...get, '--force')).status).toBe(0);
  expect(readFileSync(file).equals(CONTENT)).toBe(true);
});

it('finds a document by the number of its invoice, and lists several', async () => {
  const file = join(folder, 'by-number.pdf');
  const { status } = await api.runAs('wendy', 'documents', 'get', 'INV-0007', '--out', file);
  expect([status, readFileSync(file).equals(CONTENT)]).toEqual([0, true]);
  const several = await api.run('documents', 'get', 'INV-0007', '--out', join(folder, 'none.pdf'));
  expect(several.status).toBe(2);
  expect(several.stderr.split('\n')).toEqual([
    'Invoice INV-0007 has several documents. Give the id of one:',
    '4f2a9c00  stored 2026-03-25 01:00:04Z  OTHER WEM 2026-03-01 INITIAL',
    '3f2a9c00  stored 2026-03-25 01:00:04Z  WPGENCO WEM 2026-03-01 INITIAL',
    '',
  ]);
});

it('keeps market and invoice in a narrow terminal, and refuses a range without a time', async () => {
  const environment = { BUSBRIDGE_URL: api.url, BUSBRIDGE_TOKEN: api.tokens.wendy, COLUMNS: '60' };
  const { stdout } = await runCommand(['documents', 'list'], environment);
  expect(stdout).toMatch(/^3f2a9c00 .*WEM +2026-03-01 +INITIAL +INV-0007/m);
  expect(await api.run('documents', 'list', '--since', '2026-03-02', '--until', '2026-03-01')).toEqual({
    status: 2,
    stdout: '',
    stderr:
      '--since (2026-03-01 16:00:00Z) must be before --until (2026-02-28 16:00:00Z), which is not in the listing.\n',
  });
});

it('names what there is not, and what may not be seen', async () => {
  const unseen = await api.runAs('wendy', 'documents', 'get', OTHER_ID);
  expect([unseen.status, unseen.stdout]).toEqual([1, '']);
  expect(unseen.stderr).toContain('"busbridge documents list" shows the ids');
});

it('writes nothing of a document with other bytes', async () => {
  const server = await startScriptedServer();
  const row = JSON.parse((await api.run('documents', 'list', '--json', '--limit', '1')).stdout) as {
    items: object[];
  };
  const file = join(folder, 'damaged.pdf');
  for (const [body, message] of [
    [Buffer.alloc(CONTENT.length), 'arrived with other bytes than were stored'],
    [Buffer.alloc(CONTENT.length + 1), 'more than 3000014 bytes'],
  ] as const) {
    server.respond = ({ url = '' }) =>
      url.endsWith('/content')
        ? { body, headers: { 'content-type': 'application/pdf' } }
        : { body: JSON.stringify(url.includes('?') ? { items: [] } : row.items[0]) };
    const { status, stderr } = await runCommand(['documents', 'get', ID, '--out', file], {
      BUSBRIDGE_URL: server.url,
      BUSBRIDGE_TOKEN: 'token',
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain(message);
    expect(existsSync(file)).toBe(false);
  }
  await server.stop();
});
