import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordStore, connectRedis } from '@ssb/redis-queue';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import { runCommand } from './support/run-command.js';

const root = new URL('../../../../', import.meta.url).pathname;

/** Clears the screen, sets the title of the window, reverses the text, adds a line of its own. */
const HOSTILE = 'W\u001b[2J\u009d0;x\u0007\u202e\u2028\r\nrm';
const SHOWN = 'W\\u001b[2J\\u009d0;x\\u0007\\u202e\\u2028\\r\\nrm';
const OBEYED = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

let redis: TestRedis;
let gateway: Server;
let folder: string;

beforeAll(async () => {
  redis = await startTestRedis();
  folder = mkdtempSync(join(tmpdir(), 'terminal-'));
  writeFileSync(join(folder, 'password'), 'hunter2');
  gateway = createServer((_, response) => {
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ err: { code: 'GW', reason: HOSTILE, additionalInformation: HOSTILE } }));
  }).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
});
afterAll(async () => {
  gateway.close();
  await redis.stop();
  rmSync(folder, { recursive: true });
});

it('busbridge records list and get', async () => {
  const connection = connectRedis(redis.url, { name: 'terminal-spec' });
  const store = new RecordStore({ redis: connection, prefix: 'ssb', maxBytes: 1_000_000, maxAgeDays: 1 });
  const { sha256 } = await store.put('{}', { subject: HOSTILE, eventId: 'e1', participant: 'WPGENCO' });
  connection.disconnect();
  const list = (...more: string[]) =>
    runCommand(['records', 'list', ...more], { REDIS_URL: redis.url, QUEUE_PREFIX: 'ssb' });
  const table = await list();
  expect(table.stdout).toContain(SHOWN);
  expect(table.stdout).not.toMatch(OBEYED);
  const json = await list('--json');
  expect(json.stdout).not.toMatch(OBEYED);
  const [record] = JSON.parse(json.stdout) as { readonly subject: string; readonly storedAt: string }[];
  expect(record?.subject).toBe(HOSTILE);
  expect((await list('-o', 'csv')).stdout).toBe(
    `storedAt,participant,subject,eventId,sha256,bytes\r\n${record?.storedAt},WPGENCO,"${HOSTILE}",e1,${sha256},2\r\n`,
  );
  const get = (...args: string[]) =>
    runCommand(['records', 'get', ...args], { REDIS_URL: redis.url, QUEUE_PREFIX: 'ssb' });
  expect(await get(sha256)).toEqual({ status: 0, stdout: '{}', stderr: '' });
  await get(sha256, '--out', join(folder, 'record.json'));
  expect(readFileSync(join(folder, 'record.json'), 'utf8')).toBe('{}');
  expect(await get('0'.repeat(64))).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^There is no record 0{64}: .*\n$/),
  });
});

it('busbridge provision, with the reason of a gateway', async () => {
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const { status, stderr } = await runCommand(['provision', '--check', '--timeout', '1s'], {
    CONFIG_FILE: join(root, 'config/bridge.yaml'),
    GATEWAY_PUBLISHER_URL: url,
    GATEWAY_SUBSCRIBER_URL: url,
    GATEWAY_PUBLISHER_ADMIN_PASSWORD_FILE: join(folder, 'password'),
    GATEWAY_SUBSCRIBER_ADMIN_PASSWORD_FILE: join(folder, 'password'),
    WEBHOOK_URL: 'https://webhook.example/',
    WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    PUBLISHER_GATEWAY_DID: 'did:ethr:0x0000000000000000000000000000000000000001',
    BRIDGE_ORIGIN_DID: 'did:ethr:0x0000000000000000000000000000000000000002',
  });
  expect(status).toBe(1);
  expect(stderr).toContain(SHOWN);
  expect(stderr).not.toMatch(OBEYED);
});

it('busbridge config check, with a key of the file', async () => {
  const path = join(folder, 'bridge.yaml');
  writeFileSync(path, JSON.stringify({ [HOSTILE]: 1 }));
  const { stdout } = await runCommand(['config', 'check', '--file', path]);
  expect(stdout).toContain(`${SHOWN} is an unknown key`);
  expect(stdout).not.toMatch(OBEYED);
});
