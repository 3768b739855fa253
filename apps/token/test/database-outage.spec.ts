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

it('while the PostgreSQL server is down, every endpoint answers 503, and keys last read stay published', async () => {
  const now = { ms: Date.now() };
  const database = new Database({ url: postgres.url, schema: SCHEMA });
  try {
    const secret = Buffer.from('a secret of at least thirty-two bytes');
    const keys = await SigningKeyStore.open(database, secret, toRotationTimes(86_400), () => now.ms);
    const before = await keys.listPublicKeys();
    expect([(await requestToken()).status, (await requestAccounts()).status]).toEqual([200, 200]);
    expect(await readinessStatus()).toBe(200);

    await postgres.shutDown();
    const refused = await requestToken();
    expect([refused.status, await refused.json()]).toEqual([
      503,
      { error: 'temporarily_unavailable', error_description: expect.any(String) },
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('cache-control')).toBe('no-store');

    const accounts = await requestAccounts();
    expect([accounts.status, await accounts.json()]).toEqual([503, expect.objectContaining({ status: 503 })]);
    expect(accounts.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(Number(accounts.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await readinessStatus()).toBe(503);
    expect((await fetch(`${app.managementUrl}/health/live`)).status).toBe(200);

    // Issued tokens stay verifiable, but nothing is signed.
    now.ms += READ_INTERVAL_MS;
    expect(await keys.listPublicKeys()).toEqual(before);
    await expect(keys.getSigningKey()).rejects.toThrow(DatabaseUnavailableError);

    await postgres.start();
    expect([(await requestToken()).status, (await requestAccounts()).status]).toEqual([200, 200]);
    expect(await readinessStatus()).toBe(200);
  } finally {
    await database.close();
  }
});
