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
const readinessStatus = async (): Promise<number> =>
  (await fetch(`${app.managementUrl}/health/ready`)).status;

describe('while the PostgreSQL server is down', () => {
  it('answers a token request with 503 and Retry-After, and with a token when the server is back', async () => {
    expect((await requestToken()).status).toBe(200);
    await postgres.shutDown();
    const response = await requestToken();
    expect([response.status, await response.json()]).toEqual([
      503,
      { error: 'temporarily_unavailable', error_description: expect.any(String) },
    ]);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('cache-control')).toBe('no-store');
    await postgres.start();
    expect((await requestToken()).status).toBe(200);
  });

  it('answers the admin API with 503, and is live but not ready', async () => {
    expect([(await requestAccounts()).status, await readinessStatus()]).toEqual([200, 200]);
    await postgres.shutDown();
    const response = await requestAccounts();
    expect([response.status, await response.json()]).toEqual([503, expect.objectContaining({ status: 503 })]);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await readinessStatus()).toBe(503);
    expect((await fetch(`${app.managementUrl}/health/live`)).status).toBe(200);
    await postgres.start();
    expect([(await requestAccounts()).status, await readinessStatus()]).toEqual([200, 200]);
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
