import type { Database } from '@ssb/postgres';
import { ConsoleKey } from '../access/sessions/console-key.js';
import { SignInCookie } from './sign-in-cookie.js';

const NOW = Date.parse('2026-03-02T08:00:00Z');
const MINUTE_MS = 60_000;
const database = {
  query: () => Promise.resolve([{ key: Buffer.alloc(32, 1) }]),
} as unknown as Database;

it('belongs to its state for ten minutes, and ends one sign-in', async () => {
  const cookie = new SignInCookie(new ConsoleKey(database));
  const { value, values } = await cookie.create('abc', NOW);
  const pending = await cookie.find(value, values.state, NOW + 10 * MINUTE_MS);
  expect(pending).toMatchObject({ values, previousSession: 'abc' });
  const late = cookie.find(value, values.state, NOW + 11 * MINUTE_MS);
  await expect(late).rejects.toMatchObject({
    reason: 'expired',
    message: expect.stringContaining('too old'),
  });
  const other = await cookie.create(undefined, NOW);
  await expect(cookie.find(value, other.values.state, NOW)).rejects.toMatchObject({ reason: 'expired' });
  cookie.use(pending);
  expect(() => cookie.use(pending)).toThrow('has ended already');
});
