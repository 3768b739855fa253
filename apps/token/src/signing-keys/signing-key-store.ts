import { type Database, DatabaseUnavailableError, type SqlSession } from '@ssb/postgres';
import type { JWK } from 'jose';
import {
  planKeys,
  READ_INTERVAL_MS,
  type RotationTimes,
  type ScheduledKey,
  signingKeyAt,
} from '../domain/key-schedule.js';
import {
  decryptKey,
  encryptKey,
  generateSigningKey,
  importSigningKey,
  type SigningKey,
} from './signing-key.js';

interface CachedKey extends ScheduledKey {
  readonly key: SigningKey;
}

interface Row {
  readonly key_id: string;
  readonly signs_from: Date;
  readonly encrypted_key: Uint8Array;
}

/**
 * The signing keys in the table `signing_key`, shared by all replicas. A request reads and rotates them at most once per
 * `READ_INTERVAL_MS`; without requests nothing is rotated.
 */
export class SigningKeyStore {
  private keys: readonly CachedKey[] = [];
  private readAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | undefined;

  private constructor(
    private readonly database: Database,
    private readonly secret: Buffer,
    private readonly times: RotationTimes,
    private readonly clock: () => number,
  ) {}

  /**
   * Reads the keys, and creates the first one.
   * @param secret encrypts the stored keys
   * @param clock epoch milliseconds
   * @throws KeyDecryptionError if they were encrypted with another secret; no key is replaced then
   */
  static async open(
    database: Database,
    secret: Buffer,
    times: RotationTimes,
    clock: () => number = Date.now,
  ): Promise<SigningKeyStore> {
    const store = new SigningKeyStore(database, secret, times, clock);
    await store.refresh();
    return store;
  }

  /** The key to sign with now. @throws the database's error when the keys are stale and cannot be read */
  async getSigningKey(): Promise<SigningKey> {
    await this.refresh();
    const found = signingKeyAt(this.keys, this.clock());
    if (found === undefined) throw new Error('the table signing_key is empty after a rotation');
    return found.key;
  }

  /**
   * The public keys that verify current and coming tokens. While the database is unavailable, the keys last read: issued tokens must stay
   * verifiable, and no key can be created then.
   */
  async listPublicKeys(): Promise<JWK[]> {
    await this.refresh().catch((error: unknown) => {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
    });
    return this.keys.map(({ key }) => key.publicJwk);
  }

  private async refresh(): Promise<void> {
    const age = this.clock() - this.readAt;
    // The age is negative after the clock was set back.
    if (age >= 0 && age < READ_INTERVAL_MS) return;
    await (this.reading ??= this.read().finally(() => (this.reading = undefined)));
  }

  private async read(): Promise<void> {
    const now = this.clock();
    let rows = await readRows(this.database);
    const { create, remove } = planKeys(rows.map(toScheduledKey), now, this.times);
    if (create !== undefined || remove.length > 0) rows = await this.rotate(now);
    this.keys = await Promise.all(rows.map((row) => this.decrypt(row)));
    this.readAt = now;
  }

  /** Plans again under a lock, as another replica may have rotated the keys. The lock does not block readers. */
  private rotate(now: number): Promise<Row[]> {
    return this.database.transaction(async (session) => {
      await session.query('LOCK TABLE signing_key IN SHARE ROW EXCLUSIVE MODE');
      const { create, remove } = planKeys((await readRows(session)).map(toScheduledKey), now, this.times);
      for (const keyId of remove) await session.query('DELETE FROM signing_key WHERE key_id = $1', [keyId]);
      if (create !== undefined) await this.insertKey(session, create.signsFrom);
      return readRows(session);
    });
  }

  private async insertKey(session: SqlSession, signsFrom: number): Promise<void> {
    const { keyId, privateJwk } = await generateSigningKey();
    await session.query('INSERT INTO signing_key (key_id, signs_from, encrypted_key) VALUES ($1, $2, $3)', [
      keyId,
      new Date(signsFrom),
      encryptKey(keyId, privateJwk, this.secret),
    ]);
  }

  private async decrypt(row: Row): Promise<CachedKey> {
    const cached = this.keys.find(({ keyId }) => keyId === row.key_id);
    if (cached !== undefined) return cached;
    const key = await importSigningKey(decryptKey(row.key_id, row.encrypted_key, this.secret));
    return { ...toScheduledKey(row), key };
  }
}

function readRows(session: SqlSession): Promise<Row[]> {
  return session.query<Row>(
    'SELECT key_id, signs_from, encrypted_key FROM signing_key ORDER BY signs_from, key_id',
  );
}

function toScheduledKey({ key_id: keyId, signs_from: signsFrom }: Row): ScheduledKey {
  return { keyId, signsFrom: signsFrom.getTime() };
}
