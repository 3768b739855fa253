import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { redis, server, setUpRedis } from '../../test/redis-fixture.js';
import { connectRedis } from './connect.js';

let folder: string;

setUpRedis();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'redis-credentials-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string): string => join(folder, name);
const url = (): string => `redis://127.0.0.1:${server.port}`;

it('authenticates as a user, and takes a new password from the file for the connection and its duplicate', async () => {
  await redis.acl('SETUSER', 'app', 'on', '>first', '~*', '&*', '+@all');
  writeFileSync(file('password'), 'first\n');
  const errors: string[] = [];
  const onError = ({ message }: Error): void => void errors.push(message);
  const settings = { REDIS_URL: url(), REDIS_USERNAME: 'app', REDIS_PASSWORD_FILE: file('password') };
  const connection = connectRedis(settings, { name: 'app', blocking: true, onError }) as Redis;
  // As BullMQ opens the second connection of a worker.
  const duplicate = connection.duplicate({ connectionName: 'app-worker' });
  duplicate.on('error', () => undefined);
  const connections = [connection, duplicate];
  const ids = await Promise.all(connections.map((each) => each.client('ID')));
  rmSync(file('password'));
  await redis.acl('SETUSER', 'app', '<first', '>second');
  await redis.client('KILL', 'USER', 'app');
  await waitFor('the report of the missing file', () => errors.some((message) => message.includes('ENOENT')));
  writeFileSync(file('password'), 'second');
  for (const [index, each] of connections.entries())
    await waitFor('a new connection', async () => {
      const id = await each.client('ID').catch(() => undefined);
      return id !== undefined && id !== ids[index];
    });
  expect(await connection.acl('WHOAMI')).toBe('app');
  expect(errors.join()).not.toMatch(/first|second/);
  for (const each of connections) each.disconnect();
});

it.each([
  [
    'credentials in both places',
    'redis://:a@host',
    { REDIS_PASSWORD_FILE: 'f' },
    /only one of the two is allowed/,
  ],
  ['a user name in both places', 'redis://a@host', { REDIS_USERNAME: 'a' }, /only one of the two is allowed/],
  [
    'a CA without TLS',
    'redis://host',
    { REDIS_CA_FILE: 'f' },
    /REDIS_CA_FILE is set, but .* Use rediss:\/\//,
  ],
])('refuses %s', (_, REDIS_URL, settings, message) => {
  expect(() => connectRedis({ REDIS_URL, ...settings }, { name: 'test' })).toThrow(message);
});

it.each([
  ['a missing password file', {}, /ENOENT.*none/],
  ['an empty password file', { none: '\n' }, /none is empty; it takes a password/],
  ['a file with several lines', { none: 'one\ntwo\n' }, /none has several lines/],
])('refuses %s', (_, files, message) => {
  for (const [name, content] of Object.entries(files)) writeFileSync(file(name), content);
  const settings = { REDIS_URL: url(), REDIS_PASSWORD_FILE: file('none') };
  expect(() => connectRedis(settings, { name: 'test' })).toThrow(message);
});
