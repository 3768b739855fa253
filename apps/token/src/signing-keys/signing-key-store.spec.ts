import { Database } from '@ssb/postgres';
import { SCHEMA } from '../database/migrations.js';
import { JWKS_MAX_AGE_SECONDS, toRotationTimes, READ_INTERVAL_MS } from '../domain/key-schedule.js';
import { createTokenDatabase, type TokenDatabase } from '../../test/support/token-database.js';
import { KeyDecryptionError } from './signing-key.js';
import { SigningKeyStore } from './signing-key-store.js';

const SECRET = Buffer.from('a secret of at least thirty-two bytes');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TIMES = toRotationTimes(86_400);

describe('SigningKeyStore', () => {
  let server: TokenDatabase;
  let database: Database;
  let now: number;

  const openReplica = (secret = SECRET): Promise<SigningKeyStore> =>
    SigningKeyStore.open(database, secret, TIMES, () => now);
  const listKeyIds = async (keys: SigningKeyStore): Promise<(string | undefined)[]> =>
    (await keys.listPublicKeys()).map(({ kid }) => kid);

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

  it('creates one key, even when several replicas start at once', async () => {
    const replicas = await Promise.all(Array.from({ length: 5 }, () => openReplica()));
    const keyIds = await Promise.all(replicas.map(async (keys) => (await keys.getSigningKey()).keyId));
    expect(new Set(keyIds).size).toBe(1);
    expect(await database.query('SELECT 1 FROM signing_key')).toHaveLength(1);
  });

  it('publishes a key before it signs, for longer than clients cache the published keys', async () => {
    const keys = await openReplica();
    const first = (await keys.getSigningKey()).keyId;
    now += DAY_MS - TIMES.publishAheadMs;
    const [, next] = await listKeyIds(keys);
    expect(next).toBeDefined();
    expect((await keys.getSigningKey()).keyId).toBe(first);
    now += JWKS_MAX_AGE_SECONDS * 1_000 + READ_INTERVAL_MS;
    expect((await keys.getSigningKey()).keyId).toBe(first);
    now += TIMES.publishAheadMs;
    expect((await keys.getSigningKey()).keyId).toBe(next);
    expect(await listKeyIds(keys)).toEqual([first, next]);
  });

  it('has the same keys at every replica, and rotates them once', async () => {
    const [a, b] = await Promise.all([openReplica(), openReplica()]);
    for (let hour = 0; hour < 72; hour += 1) {
      now += HOUR_MS;
      const [ofA, ofB] = await Promise.all([listKeyIds(a), listKeyIds(b)]);
      expect(ofA).toEqual(ofB);
      expect((await a.getSigningKey()).keyId).toBe((await b.getSigningKey()).keyId);
    }
    // On day three: its own key and that of day two, whose last tokens are valid for a day.
    expect((await listKeyIds(a)).length).toBeLessThanOrEqual(3);
  });

  it('stores keys encrypted, publishes no private key, and replaces none if the secret differs', async () => {
    const keys = await openReplica();
    const [jwk] = await keys.listPublicKeys();
    expect(Object.keys(jwk ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    const [row] = await database.query<{ encrypted_key: Uint8Array }>(
      'SELECT encrypted_key FROM signing_key',
    );
    expect(Buffer.from(row?.encrypted_key ?? []).includes('"d"')).toBe(false);
    await expect(openReplica(Buffer.from('another secret of at least 32 bytes'))).rejects.toThrow(
      KeyDecryptionError,
    );
    expect(await database.query('SELECT encrypted_key FROM signing_key')).toEqual([row]);
  });
});
