import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { connectionConfig } from './connection.js';
import { Database, type DatabaseOptions, type SqlSession } from './database.js';
import {
  ChangedMigrationError,
  DatabaseEncodingError,
  MigrationRunningError,
  MissingSchemaError,
  PendingMigrationsError,
  requirePlainName,
  toDatabaseError,
  toOpeningError,
} from './errors.js';

/**
 * A step in the history of a schema. Once released it never changes. It must work while the previous release runs, so it only adds;
 * a later release removes what it replaces.
 */
export interface Migration {
  /** Name of its file without `.sql`, such as `001-archive`. */
  readonly id: string;
  readonly sql: string;
  /** SHA-256 of the file, hexadecimal. */
  readonly checksum: string;
}

const FILE_NAME = /^(\d{3}-[a-z0-9-]+)\.sql$/;

/**
 * Reads the migrations of a folder in the order of their numbers.
 * @throws Error for a file that is not named `001-name.sql`, or a number that is there twice
 */
export function readMigrations(folder: URL): Migration[] {
  const path = fileURLToPath(folder);
  const migrations = readdirSync(path)
    .sort()
    .map((file) => {
      const id = FILE_NAME.exec(file)?.[1];
      if (id === undefined) throw new Error(`${join(path, file)} is not named like 001-name.sql.`);
      const sql = readFileSync(join(path, file), 'utf8');
      return { id, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
  const numbers = migrations.map(({ id }) => id.slice(0, 3));
  const twice = numbers.find((number, at) => numbers.indexOf(number) !== at);
  if (twice !== undefined) throw new Error(`${path} has two migrations with the number ${twice}.`);
  return migrations;
}

/** Any number, the same in every release. The lock makes replicas migrate one after the other. */
const MIGRATION_LOCK = 7_305_118;
const MAX_LOCK_WAIT_MS = 5 * 60_000;
/** A statement that waits for a lock blocks every later one, so it fails soon and is retried. */
const LOCK_TIMEOUT_MS = 2_000;
const MAX_LOCK_ATTEMPTS = 30;
const LOCK_NOT_AVAILABLE = '55P03';
/** A migration with two locks can stop a transaction that stops the migration. */
const DEADLOCK_DETECTED = '40P01';
const NO_SCHEMA = '3F000';

/**
 * Applies the pending migrations in order, each in its own transaction.
 * @param url address for the role that owns the schema
 * @param lockWaitMs how long to wait for the migrations of another process
 * @returns the ids of the applied migrations
 * @throws DatabaseEncodingError, ChangedMigrationError, MissingSchemaError, MigrationRunningError, DatabaseUnavailableError, the server's error
 */
export async function applyMigrations(
  url: string,
  schema: string,
  migrations: readonly Migration[],
  lockWaitMs: number = MAX_LOCK_WAIT_MS,
): Promise<string[]> {
  const client = new pg.Client(
    connectionConfig(url, { schema: requirePlainName('schema', schema), bounded: false }),
  );
  // A broken connection also fails the running statement.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await assertUtf8(async (sql) => (await client.query<EncodingRow>(sql)).rows);
    await takeLock(client, schema, lockWaitMs);
    await client.query(
      `CREATE TABLE IF NOT EXISTS migration (
         id text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
       GRANT SELECT ON migration TO ${schema}`,
    );
    const { rows } = await client.query<AppliedRow>('SELECT id, checksum FROM migration');
    const pending = findPending(schema, migrations, rows);
    for (const migration of pending) await applyWithRetries(client, migration);
    return pending.map(({ id }) => id);
  } catch (error) {
    if ((error as { code?: string }).code === NO_SCHEMA) throw new MissingSchemaError(schema);
    throw OWN_ERRORS.some((type) => error instanceof type) ? error : toDatabaseError(error);
  } finally {
    // The lock ends with the connection.
    await client.end().catch(() => undefined);
  }
}

const OWN_ERRORS = [ChangedMigrationError, DatabaseEncodingError, MigrationRunningError] as const;

export interface EncodingRow {
  readonly database: string;
  readonly encoding: string;
}

/** @throws DatabaseEncodingError */
export async function assertUtf8(query: (sql: string) => Promise<EncodingRow[]>): Promise<void> {
  const [row] = await query(
    "SELECT current_database()::text AS database, current_setting('server_encoding') AS encoding",
  );
  if (row !== undefined && row.encoding !== 'UTF8')
    throw new DatabaseEncodingError(row.database, row.encoding);
}

async function takeLock(client: pg.Client, schema: string, waitMs: number): Promise<void> {
  try {
    await client.query(`SET lock_timeout = ${waitMs}`);
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
  } catch (error) {
    throw (error as { code?: string }).code === LOCK_NOT_AVAILABLE
      ? new MigrationRunningError(schema)
      : error;
  }
}

interface AppliedRow {
  readonly id: string;
  readonly checksum: string;
}

/** A later release may have applied more than this one knows. */
function findPending(
  schema: string,
  migrations: readonly Migration[],
  applied: readonly AppliedRow[],
): Migration[] {
  const checksums = new Map(applied.map(({ id, checksum }) => [id, checksum]));
  const changed = migrations.filter(({ id, checksum }) => (checksums.get(id) ?? checksum) !== checksum);
  if (changed.length > 0) {
    throw new ChangedMigrationError(
      schema,
      changed.map(({ id }) => id),
    );
  }
  return migrations.filter(({ id }) => !checksums.has(id));
}

async function applyWithRetries(client: pg.Client, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await applyOne(client, migration);
    } catch (error) {
      const { code } = error as { code?: string };
      const isBlocked = code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED;
      if (!isBlocked || attempt === MAX_LOCK_ATTEMPTS) throw error;
      await pause(LOCK_TIMEOUT_MS / 2);
    }
  }
}

async function applyOne(client: pg.Client, { id, sql, checksum }: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query(sql);
    await client.query('INSERT INTO migration (id, checksum) VALUES ($1, $2)', [id, checksum]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

const UNDEFINED_TABLE = '42P01';

/**
 * Requires that the schema has every migration of this release; it may have later ones.
 * @throws PendingMigrationsError, ChangedMigrationError, DatabaseUnavailableError
 */
export async function assertMigrations(
  database: SqlSession,
  schema: string,
  migrations: readonly Migration[],
): Promise<void> {
  const applied = await database
    .query<AppliedRow>('SELECT id, checksum FROM migration')
    .catch((error: unknown) => {
      if ((error as { code?: string }).code === UNDEFINED_TABLE) return [];
      throw error;
    });
  const pending = findPending(schema, migrations, applied);
  if (pending.length > 0) {
    throw new PendingMigrationsError(
      schema,
      pending.map(({ id }) => id),
    );
  }
}

/**
 * Opens the database of an app, whose schema must have the migrations of this release.
 * @throws DatabaseEncodingError, PendingMigrationsError, ChangedMigrationError, DatabaseUnavailableError, DatabaseRefusedError
 */
export async function openDatabase(
  options: DatabaseOptions & { readonly migrations: readonly Migration[] },
): Promise<Database> {
  const database = new Database(options);
  try {
    await assertUtf8((sql) => database.query(sql));
    await assertMigrations(database, options.schema, options.migrations);
    return database;
  } catch (error) {
    await database.close();
    throw toOpeningError(error);
  }
}
