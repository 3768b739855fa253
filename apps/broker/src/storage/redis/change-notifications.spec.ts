import { createLogger } from '@ssb/platform';
import { connectRedis } from '@ssb/redis';
import { startTestRedis, type TestRedis, waitFor } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { RedisKeys } from './redis-keys.js';
import { type Change, encodeChange, ChangeNotifications } from './change-notifications.js';

let server: TestRedis;
let commands: Redis;
let wakeUps: Redis;
let notices: ChangeNotifications;
const keys = new RedisKeys('t:');
const lines: string[] = [];

beforeAll(async () => {
  server = await startTestRedis();
  commands = connectRedis(server.url, { name: 'test' });
  wakeUps = connectRedis(server.url, { name: 'wake-ups', blocking: true });
  const stream = { write: (line: string) => void lines.push(line) };
  notices = new ChangeNotifications(
    wakeUps,
    keys,
    createLogger({ name: 'test', level: 'warn', format: 'json', stream }),
  );
  await notices.start();
});

afterAll(async () => {
  notices.stop();
  commands.disconnect();
  wakeUps.disconnect();
  await server.stop();
});

describe('a notice of a change', () => {
  it.each([
    ['no JSON', 'not json'],
    ['nothing', 'null'],
    ['of a kind that is not known', '{"kind":"weather"}'],
    ['without its name', '{"kind":"channel","fqcn":7}'],
  ])('that is %s has everybody look at everything, and is logged without its text', async (_, text) => {
    const heard: (Change | undefined)[] = [];
    const stop = notices.onChanged((change) => heard.push(change));
    const warned = lines.length;
    const known: Change = { kind: 'role', address: '0xab' };
    await commands.publish(keys.changed, text);
    await commands.publish(keys.changed, encodeChange(known));
    await waitFor('two notices', () => heard.length === 2);
    stop();
    expect(heard).toEqual([undefined, known]);
    expect(lines.length).toBe(warned + 1);
    expect(lines.at(-1)).not.toContain(text);
  });
});
