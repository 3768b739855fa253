import { createLogger } from '@ssb/platform';
import { connectRedis } from '@ssb/redis-queue';
import { startTestRedis, type TestRedis, waitFor } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { RedisKeys } from './redis-keys.js';
import { type Change, encodeChange, ChangeNotifications, isAffectedBy } from './change-notifications.js';

let server: TestRedis;
let commands: Redis;
let connection: Redis;
let notifications: ChangeNotifications;
const keys = new RedisKeys('t:');
const lines: string[] = [];

beforeAll(async () => {
  server = await startTestRedis();
  commands = connectRedis(server.url, { name: 'test' });
  connection = connectRedis(server.url, { name: 'notifications', blocking: true });
  const stream = { write: (line: string) => void lines.push(line) };
  notifications = new ChangeNotifications(
    connection,
    keys,
    createLogger({ name: 'test', level: 'warn', format: 'json', stream }),
  );
  await notifications.start();
});

afterAll(async () => {
  notifications.stop();
  commands.disconnect();
  connection.disconnect();
  await server.stop();
});

describe('a change notification', () => {
  it.each([
    ['no JSON', 'not json'],
    ['nothing', 'null'],
    ['of an unknown kind', '{"kind":"weather"}'],
    ['without its name', '{"kind":"channel","fqcn":7}'],
  ])('that is %s makes every listener check everything, and is logged without its text', async (_, text) => {
    const received: (Change | undefined)[] = [];
    const stop = notifications.onChanged((change) => received.push(change));
    const warned = lines.length;
    const known: Change = { kind: 'role', address: '0xab' };
    await commands.publish(keys.changed, text);
    await commands.publish(keys.changed, encodeChange(known));
    await waitFor('two notifications', () => received.length === 2);
    stop();
    expect(received).toEqual([undefined, known]);
    expect(lines.length).toBe(warned + 1);
    expect(lines.at(-1)).not.toContain(text);
  });
});

describe('a change', () => {
  const named = { address: '0xab', session: 's', channels: ['a', 'b'] };
  const all = { ...named, channels: undefined };

  it.each<[string, Change | undefined, boolean, boolean]>([
    ['of anything', undefined, true, true],
    ['of the identity', { kind: 'role', address: '0xab' }, true, true],
    ['of another identity', { kind: 'role', address: '0xac' }, false, false],
    ['of the session', { kind: 'session', session: 's' }, true, true],
    ['of another session', { kind: 'session', session: 't' }, false, false],
    ['of a named channel', { kind: 'channel', fqcn: 'b' }, true, true],
    ['of another channel', { kind: 'channel', fqcn: 'c' }, false, true],
  ])('%s affects the subscriptions that depend on it', (_, change, affectsNamed, affectsAll) => {
    expect([isAffectedBy(change, named), isAffectedBy(change, all)]).toEqual([affectsNamed, affectsAll]);
  });
});
