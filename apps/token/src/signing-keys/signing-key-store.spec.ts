import { Database } from '@ssb/database';
import { SCHEMA } from '../database/migrations.js';
import { JWKS_MAX_AGE_SECONDS, toRotationTimes, READ_INTERVAL_MS } from '../domain/key-schedule.js';
import { createTokenDatabase, type TokenDatabase } from '../../test/support/token-database.js';
import { KeyDecryptionError } from './signing-key.js';
import { SigningKeyStore } from './signing-key-store.js';

const SECRET = Buffer.from('a secret of at least thirty-two bytes');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TIMES = toRotationTimes(86_400);

describe('signing keys', () => {
  let server: TokenDatabase;
  let database: Database;
  let now: number;

  const replica = (secret = SECRET): Promise<SigningKeyStore> =>
    SigningKeyStore.open(database, secret, TIMES, () => now);
  const namesOf = async (keys: SigningKeyStore): Promise<(string | undefined)[]> =>
    (await keys.published()).map(({ kid }) => kid);

  beforeAll(async () => {
    server = await createTokenDatabase();
    database = new Database({ url: server.url, schema: SCHEMA });
  });
  afterAll(async () => {
    await database.close();
    await server.close();
  });
  beforeEach(async () => {
    now = Date.parse('2026-03-01T00:00:00Z');
    await server.query('TRUNCATE token.signing_key');
  });

  it('are made once, by whichever of several replicas comes first', async () => {
    const replicas = await Promise.all(Array.from({ length: 5 }, () => replica()));
    const names = await Promise.all(replicas.map(async (keys) => (await keys.current()).keyId));
    expect(new Set(names).size).toBe(1);
    expect(await database.query('SELECT 1 FROM signing_key')).toHaveLength(1);
  });

  it('are published before they sign, for longer than anybody keeps the published keys', async () => {
    const keys = await replica();
    const first = (await keys.current()).keyId;
    now += DAY_MS - TIMES.publishAheadMs;
    const [, next] = await namesOf(keys);
    expect(next).toBeDefined();
    expect((await keys.current()).keyId).toBe(first);
    now += JWKS_MAX_AGE_SECONDS * 1_000 + READ_INTERVAL_MS;
    expect((await keys.current()).keyId).toBe(first);
    now += TIMES.publishAheadMs;
    expect((await keys.current()).keyId).toBe(next);
    expect(await namesOf(keys)).toEqual([first, next]);
  });

  it('are the same at every replica, and rotate once whoever looks', async () => {
    const [a, b] = await Promise.all([replica(), replica()]);
    for (let hour = 0; hour < 72; hour += 1) {
      now += HOUR_MS;
      const [ofA, ofB] = await Promise.all([namesOf(a), namesOf(b)]);
      expect(ofA).toEqual(ofB);
      expect((await a.current()).keyId).toBe((await b.current()).keyId);
    }
    // Day three: its own key, and the one of day two, whose last tokens live a day.
    expect((await namesOf(a)).length).toBeLessThanOrEqual(3);
  });

  it('go when no token of theirs can be alive', async () => {
    const keys = await replica();
    const first = (await keys.current()).keyId;
    now += DAY_MS - TIMES.publishAheadMs;
    await keys.published();
    now += TIMES.publishAheadMs + TIMES.keepRetiredMs - 1;
    expect(await namesOf(keys)).toContain(first);
    now += READ_INTERVAL_MS;
    expect(await namesOf(keys)).not.toContain(first);
  });

  it('are stored sealed, toAccountView without their private half, and never replaced by a service with another secret', async () => {
    const keys = await replica();
    const [jwk] = await keys.published();
    expect(Object.keys(jwk ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    const [row] = await database.query<{ sealed: Uint8Array }>('SELECT sealed FROM signing_key');
    expect(Buffer.from(row?.sealed ?? []).includes('"d"')).toBe(false);
    await expect(replica(Buffer.from('another secret of at least 32 bytes'))).rejects.toThrow(KeyDecryptionError);
    expect(await database.query('SELECT sealed FROM signing_key')).toEqual([row]);
  });
});
