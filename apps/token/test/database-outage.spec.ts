import { Database, DatabaseUnavailableError } from '@ssb/postgres';
import { SCHEMA } from '../src/database/migrations.js';
import { toRotationTimes, READ_INTERVAL_MS } from '../src/domain/key-schedule.js';
import { SigningKeyStore } from '../src/signing-keys/signing-key-store.js';
import {
  ADMIN_SECRET,
  CLIENT_ID,
  CLIENT_SECRET,
  type RunningApp,
  startTokenApp,
} from './support/running-app.js';
import { createTokenDatabase, type TokenDatabase } from './support/token-database.js';

let postgres: TokenDatabase;
let app: RunningApp;

beforeAll(async () => {
  postgres = await createTokenDatabase();
  app = await startTokenApp({ DATABASE_URL: postgres.url });
});

afterAll(async () => {
  // The shared server may still be down after a failed test.
  await postgres.start();
  await app.stop();
  await postgres.close();
});

const GOOD = { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
const requestToken = (): Promise<Response> =>
  fetch(`${app.url}/oauth/v1/token`, { method: 'POST', body: new URLSearchParams(GOOD) });
const requestAccounts = (): Promise<Response> =>
  fetch(`${app.adminUrl}/admin/v1/accounts`, { headers: { authorization: `Bearer ${ADMIN_SECRET}` } });
describe('while the PostgreSQL server is down', () => {
  it('responds 503 with Retry-After, and is live but not ready, until the server is back', async () => {
    const statuses = async (): Promise<number[]> => [
      (await requestToken()).status,
      (await requestAccounts()).status,
      (await fetch(`${app.managementUrl}/health/ready`)).status,
    ];
    expect(await statuses()).toEqual([200, 200, 200]);
    await postgres.shutDown();
    expect(await statuses()).toEqual([503, 503, 503]);
    expect((await fetch(`${app.managementUrl}/health/live`)).status).toBe(200);
    const [token, accounts] = [await requestToken(), await requestAccounts()];
    expect(await token.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.any(String),
    });
    expect(token.headers.get('cache-control')).toBe('no-store');
    expect(accounts.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    for (const { headers } of [token, accounts])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    await postgres.start();
    expect(await statuses()).toEqual([200, 200, 200]);
  });

  it('publishes the keys last read, so that issued tokens stay verifiable, but signs with none', async () => {
    let now = Date.now();
    const database = new Database({ url: postgres.url, schema: SCHEMA });
    try {
      const secret = Buffer.from('a secret of at least thirty-two bytes');
      const keys = await SigningKeyStore.open(database, secret, toRotationTimes(86_400), () => now);
      const before = await keys.listPublicKeys();
      await postgres.shutDown();
      now += READ_INTERVAL_MS;
      expect(await keys.listPublicKeys()).toEqual(before);
      await expect(keys.getSigningKey()).rejects.toThrow(DatabaseUnavailableError);
    } finally {
      await database.close();
      await postgres.start();
    }
  });
});
