import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { connection, failure } from './connection.js';
import type { SqlSession } from './database.js';
import { plainName } from './errors.js';

/**
 * A step in the history of a schema. Once released it never changes. It must work while the previous release runs: it adds, and what it
 * replaces is removed one release later.
 */
export interface Migration {
  /** Name of its file without `.sql`, such as `001-archive`; sorts by age. */
  readonly id: string;
  readonly sql: string;
  /** SHA-256 of the file, hexadecimal. */
  readonly checksum: string;
}

/** The schema lacks migrations that this release needs. */
export class PendingMigrationsError extends Error {
  override readonly name = 'PendingMigrationsError';

  constructor(
    readonly schema: string,
    readonly pending: readonly string[],
  ) {
    super(
      `The database schema ${schema} lacks the migrations ${pending.join(', ')}. ` +
        `Run "node apps/${schema}/dist/src/migrate.js" with the DATABASE_URL of the role ${schema}_migration, then start again.`,
    );
  }
}

/** A migration that was applied had another content than this release has under its name. */
export class ChangedMigrationError extends Error {
  override readonly name = 'ChangedMigrationError';

  constructor(
    readonly schema: string,
    readonly changed: readonly string[],
  ) {
    super(
      `The migrations ${changed.join(', ')} of the schema ${schema} were applied with another content. ` +
        'Start the release that applied them, or a later one.',
    );
  }
}

/** The schema has not been made. */
export class MissingSchemaError extends Error {
  override readonly name = 'MissingSchemaError';

  constructor(readonly schema: string) {
    super(
      `The database has no schema ${schema}, or the role has no right to it. An administrator makes it with ` +
        `"node apps/${schema}/dist/src/migrate.js --setup-sql <database> | psql <database>".`,
    );
  }
}

/** Another process applies migrations, and has not ended within the time that this one waits. */
export class MigrationRunningError extends Error {
  override readonly name = 'MigrationRunningError';

  constructor(readonly schema: string) {
    super(
      `Another process has been migrating the schema ${schema} for a long time. ` +
        'Run the command again when it has ended; pg_stat_activity shows it.',
    );
  }
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

/** Any number, the same in every release: replicas that migrate at the same time take turns. */
const MIGRATION_LOCK = 7_305_118;
const MAX_LOCK_WAIT_MS = 5 * 60_000;
/** A statement that waits for a lock makes every later one wait too, so it gives up soon and is tried again. */
const LOCK_TIMEOUT_MS = 2_000;
const MAX_LOCK_ATTEMPTS = 30;
const LOCK_NOT_AVAILABLE = '55P03';
const NO_SCHEMA = '3F000';

/**
 * Applies the migrations that the schema has not seen, in order, each in a transaction of its own.
 * @param url address for the role that owns the schema
 * @returns the ids that were applied
 * @param lockWaitMs how long to wait for another process that migrates
 * @throws ChangedMigrationError, MissingSchemaError, MigrationRunningError, DatabaseUnavailableError, the server's error
 */
export async function applyMigrations(
  url: string,
  schema: string,
  migrations: readonly Migration[],
  lockWaitMs: number = MAX_LOCK_WAIT_MS,
): Promise<string[]> {
  const client = new pg.Client(connection(url, { schema: plainName('schema', schema), bounded: false }));
  // A connection that breaks fails the statement that runs; the event adds nothing.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await takeTurn(client, schema, lockWaitMs);
    await client.query(
      `CREATE TABLE IF NOT EXISTS migration (
         id text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
       GRANT SELECT ON migration TO ${schema}`,
    );
    const { rows } = await client.query<AppliedRow>('SELECT id, checksum FROM migration');
    const pending = pendingMigrations(schema, migrations, rows);
    for (const migration of pending) await applyWhenFree(client, migration);
    return pending.map(({ id }) => id);
  } catch (error) {
    if ((error as { code?: string }).code === NO_SCHEMA) throw new MissingSchemaError(schema);
    throw error instanceof ChangedMigrationError || error instanceof MigrationRunningError
      ? error
      : failure(error);
  } finally {
    // The lock goes with the connection.
    await client.end().catch(() => undefined);
  }
}

async function takeTurn(client: pg.Client, schema: string, waitMs: number): Promise<void> {
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
function pendingMigrations(
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

async function applyWhenFree(client: pg.Client, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await applyOne(client, migration);
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || attempt === MAX_LOCK_ATTEMPTS)
        throw error;
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
 * Makes sure that the schema has every migration of this release; it may have later ones.
 * @throws PendingMigrationsError, ChangedMigrationError, DatabaseUnavailableError
 */
export async function requireMigrations(
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
  const pending = pendingMigrations(schema, migrations, applied);
  if (pending.length > 0) {
    throw new PendingMigrationsError(
      schema,
      pending.map(({ id }) => id),
    );
  }
}
