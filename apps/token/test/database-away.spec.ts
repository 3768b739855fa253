import { Database, DatabaseUnavailableError } from '@ssb/database';
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
  // A failed test may have left the shared server down.
  await postgres.start();
  await app.stop();
  await postgres.close();
});

const GOOD = { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
const askToken = (): Promise<Response> =>
  fetch(`${app.url}/oauth/v1/token`, { method: 'POST', body: new URLSearchParams(GOOD) });
const askDoor = (): Promise<Response> =>
  fetch(`${app.adminUrl}/admin/v1/accounts`, { headers: { authorization: `Bearer ${ADMIN_SECRET}` } });
const readiness = async (): Promise<number> => (await fetch(`${app.url}/health/ready`)).status;

describe('while the PostgreSQL server is down', () => {
  it('a request for a token is told to come again later, and gets one when the server is back', async () => {
    expect((await askToken()).status).toBe(200);
    await postgres.shutDown();
    const away = await askToken();
    expect([away.status, await away.json()]).toEqual([
      503,
      { error: 'temporarily_unavailable', error_description: expect.any(String) },
    ]);
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(away.headers.get('cache-control')).toBe('no-store');
    await postgres.start();
    expect((await askToken()).status).toBe(200);
  });

  it('the admin door says so as well, and the service is alive but not ready', async () => {
    expect([(await askDoor()).status, await readiness()]).toEqual([200, 200]);
    await postgres.shutDown();
    const away = await askDoor();
    expect([away.status, await away.json()]).toEqual([503, expect.objectContaining({ status: 503 })]);
    expect(away.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await readiness()).toBe(503);
    expect((await fetch(`${app.url}/health/live`)).status).toBe(200);
    await postgres.start();
    expect([(await askDoor()).status, await readiness()]).toEqual([200, 200]);
  });

  it('the keys last read go on being published, for tokens that are out live on; none is signed with them', async () => {
    let now = Date.now();
    const database = new Database({ url: postgres.url, schema: SCHEMA });
    try {
      const secret = Buffer.from('a secret of at least thirty-two bytes');
      const keys = await SigningKeyStore.open(database, secret, toRotationTimes(86_400), () => now);
      const before = await keys.published();
      await postgres.shutDown();
      now += READ_INTERVAL_MS;
      expect(await keys.published()).toEqual(before);
      await expect(keys.current()).rejects.toThrow(DatabaseUnavailableError);
    } finally {
      await database.close();
      await postgres.start();
    }
  });
});
