import { type Database, DatabaseUnavailableError, type SqlSession } from '@ssb/database';
import type { JWK } from 'jose';
import {
  type RotationTimes,
  planKeys,
  READ_INTERVAL_MS,
  type ScheduledKey,
  signingKeyAt,
} from '../domain/key-schedule.js';
import { generateSigningKey, importSigningKey, decryptKey, encryptKey, type SigningKey } from './signing-key.js';

interface KeptKey extends ScheduledKey {
  readonly key: SigningKey;
}

interface Row {
  readonly key_id: string;
  readonly signs_from: Date;
  readonly sealed: Uint8Array;
}

/**
 * The signing keys in the table `signing_key`, shared by all replicas and rotated by whichever notices first that it is time.
 * They are looked at when somebody needs one, at most once in `READ_INTERVAL_MS`; so a service that nobody asks rotates nothing.
 */
export class SigningKeyStore {
  private kept: readonly KeptKey[] = [];
  private readAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | undefined;

  private constructor(
    private readonly database: Database,
    private readonly secret: Buffer,
    private readonly times: RotationTimes,
    private readonly clock: () => number,
  ) {}

  /**
   * Reads the keys; at the first start, makes one.
   * @param secret what the keys are sealed with
   * @param clock epoch milliseconds
   * @throws KeyDecryptionError when they were sealed with another secret; none is replaced then
   */
  static async open(
    database: Database,
    secret: Buffer,
    times: RotationTimes,
    clock: () => number = Date.now,
  ): Promise<SigningKeyStore> {
    const keys = new SigningKeyStore(database, secret, times, clock);
    await keys.refresh();
    return keys;
  }

  /** The key to sign with now. @throws the database's error when the keys have to be read and cannot */
  async current(): Promise<SigningKey> {
    await this.refresh();
    const found = signingKeyAt(this.kept, this.clock());
    if (found === undefined)
      throw new Error('there is no signing key, although one is made whenever none is there');
    return found.key;
  }

  /**
   * The public half of every key that a token may be, or may soon be, signed with. While the database is away, those last read:
   * tokens that are out must go on being verified, and nobody can make a new key then.
   */
  async published(): Promise<JWK[]> {
    await this.refresh().catch((error: unknown) => {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
    });
    return this.kept.map(({ key }) => key.publicJwk);
  }

  private async refresh(): Promise<void> {
    const age = this.clock() - this.readAt;
    // A clock that was set back must not keep old keys alive.
    if (age >= 0 && age < READ_INTERVAL_MS) return;
    await (this.reading ??= this.read().finally(() => (this.reading = undefined)));
  }

  private async read(): Promise<void> {
    const now = this.clock();
    let rows = await readRows(this.database);
    if (!isDone(planKeys(rows.map(scheduled), now, this.times))) rows = await this.rotate(now);
    this.kept = await Promise.all(rows.map((row) => this.open(row)));
    this.readAt = now;
  }

  /** Under a lock that one replica holds at a time: the next finds the work done. Readers are not held up. */
  private rotate(now: number): Promise<Row[]> {
    return this.database.transaction(async (session) => {
      await session.query('LOCK TABLE signing_key IN SHARE ROW EXCLUSIVE MODE');
      const { create, remove } = planKeys((await readRows(session)).map(scheduled), now, this.times);
      for (const keyId of remove) await session.query('DELETE FROM signing_key WHERE key_id = $1', [keyId]);
      if (create !== undefined) await this.insertNewKey(session, create.signsFrom);
      return readRows(session);
    });
  }

  private async insertNewKey(session: SqlSession, signsFrom: number): Promise<void> {
    const { keyId, privateJwk } = await generateSigningKey();
    await session.query('INSERT INTO signing_key (key_id, signs_from, sealed) VALUES ($1, $2, $3)', [
      keyId,
      new Date(signsFrom),
      encryptKey(keyId, privateJwk, this.secret),
    ]);
  }

  private async open(row: Row): Promise<KeptKey> {
    const known = this.kept.find(({ keyId }) => keyId === row.key_id);
    if (known !== undefined) return known;
    const key = await importSigningKey(decryptKey(row.key_id, row.sealed, this.secret));
    return { ...scheduled(row), key };
  }
}

function readRows(session: SqlSession): Promise<Row[]> {
  return session.query<Row>('SELECT key_id, signs_from, sealed FROM signing_key ORDER BY signs_from, key_id');
}

function scheduled({ key_id: keyId, signs_from: signsFrom }: Row): ScheduledKey {
  return { keyId, signsFrom: signsFrom.getTime() };
}

function isDone({ create, remove }: ReturnType<typeof planKeys>): boolean {
  return create === undefined && remove.length === 0;
}
