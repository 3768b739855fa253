import pg from 'pg';
import { types } from 'node:util';

/** There is no connection to the database, or the one in use broke. Whether the statement ran is not known. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  readonly startFault = 'unavailable';
  /** SQLSTATE where the server gave one, else the system's code, such as ECONNREFUSED. */
  readonly code: string | undefined;

  constructor(reason: string, options?: { cause?: unknown; code?: string | undefined }) {
    super(`The database cannot be used: ${reason}.`, options);
    this.code = options?.code;
  }
}

/** SQLSTATEs of a server problem: connection (08), read-only (25006), session ended by the server (57P), too many connections (53300). */
const SERVER_PROBLEM = /^(?:08|25006|57P|53300)/;

/**
 * SQLSTATEs that can come from the state of one session (PostgreSQL, appendix A), so that a new session may succeed:
 * - 08 connection exception, 57P session ended by the server
 * - 25 invalid transaction state: 25006 read-only, 25P02 aborted transaction, 25P03 and 25P04 ended by a timeout
 * - 0A000 a cached plan whose result type has changed; 26000 and 34000 a statement or cursor that the session lacks
 * - 42501 a right that the role lacks, as the role of a session is that of its start (`ALTER ROLE … SET role`)
 * - 53200 memory of the session's process; XX an internal error, which a stale cache of the session can cause
 */
const SESSION_ERROR = /^(?:08|25|57P|0A000|26000|34000|42501|53200|XX)/;
/** After these the server closes the connection. */
const ENDING_SEVERITIES: readonly (string | undefined)[] = ['FATAL', 'PANIC'];

/** Whether the session in which a statement failed must not be used again. */
export function endsSession(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError || error instanceof RangeError) return true;
  if (!types.isNativeError(error)) return false;
  const { code = '', severity } = error as { code?: string; severity?: string };
  return SESSION_ERROR.test(code) || ENDING_SEVERITIES.includes(severity);
}

/** Whether every session that was opened before is affected as well: read-only since a switch of the primary or of a default. */
export function endsEarlierSessions(error: unknown): boolean {
  return types.isNativeError(error) && (error as { code?: string }).code === '25006';
}

/** Maps the error of a statement or connection: the server's own error, or DatabaseUnavailableError when there is no usable server. */
export function toDatabaseError(error: unknown): unknown {
  if (!types.isNativeError(error) || error instanceof DatabaseUnavailableError) return error;
  // Node cannot hold a statement of this size.
  if (error instanceof RangeError) return error;
  const { code } = error as { code?: string };
  if (error instanceof pg.DatabaseError && !SERVER_PROBLEM.test(code ?? '')) return error;
  // For a host with several addresses, Node's error has a code but no message.
  return new DatabaseUnavailableError(error.message || String(code), { cause: error, code });
}

/** The server refuses the role, its password, the database or the schema of DATABASE_URL. */
export class DatabaseRefusedError extends Error {
  override readonly name = 'DatabaseRefusedError';
  readonly startFault = 'configuration';

  constructor(cause: Error) {
    super(`The server refuses DATABASE_URL: ${cause.message}.`, { cause });
  }
}

/** SQLSTATEs of wrong credentials (28), an unknown database (3D000), and missing rights (42501). */
const REFUSED = /^(?:28|3D000|42501)/;

/** The error of opening a database: DatabaseRefusedError where the server refuses the address, else the same error. */
export function toOpeningError(error: unknown): unknown {
  return error instanceof pg.DatabaseError && REFUSED.test(error.code ?? '')
    ? new DatabaseRefusedError(error)
    : error;
}

/** A transaction continued after one of its statements failed. Nothing of it is kept. */
export class TransactionAbortedError extends Error {
  override readonly name = 'TransactionAbortedError';

  constructor() {
    super('The transaction was rolled back, because one of its statements failed and the error was ignored.');
  }
}

/** The name of a schema or channel is invalid. */
export class InvalidDatabaseNameError extends Error {
  override readonly name = 'InvalidDatabaseNameError';

  constructor(
    readonly what: 'schema' | 'channel' | 'role',
    readonly given: string,
  ) {
    super(
      `${JSON.stringify(given.slice(0, 60))} is no ${what}: lower-case letters, digits and underscores, at most 30.`,
    );
  }
}

/** @returns the name, which needs no quotes in SQL @throws InvalidDatabaseNameError */
export function requirePlainName(what: 'schema' | 'channel' | 'role', given: string): string {
  if (!/^[a-z][a-z0-9_]{0,29}$/.test(given)) throw new InvalidDatabaseNameError(what, given);
  return given;
}

/** The migrations of the archive are a command of `busbridge`; those of another app are a command of that app. */
function migrateCommandOf(schema: string): string {
  return schema === 'subscriber' ? 'busbridge migrate' : `node apps/${schema}/dist/src/migrate.js`;
}

/** The schema lacks migrations that this release needs. */
export class PendingMigrationsError extends Error {
  override readonly name = 'PendingMigrationsError';
  readonly startFault = 'unavailable';

  constructor(
    readonly schema: string,
    readonly pending: readonly string[],
  ) {
    super(
      `The database schema ${schema} lacks the migrations ${pending.join(', ')}. ` +
        `Run "${migrateCommandOf(schema)}" with the DATABASE_MIGRATION_URL of the role ${schema}_migration, then start again.`,
    );
  }
}

/** The database has another encoding than UTF8, so it cannot store every text. */
export class DatabaseEncodingError extends Error {
  override readonly name = 'DatabaseEncodingError';
  readonly startFault = 'configuration';

  constructor(
    readonly database: string,
    readonly encoding: string,
  ) {
    super(
      `The database ${database} has the encoding ${encoding}; UTF8 is required. Create another database with ` +
        `"CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'", copy the data with pg_dump, and change DATABASE_URL (docs/operate/databases.md#encoding).`,
    );
  }
}

/** An applied migration has other content than this release has under its name. */
export class ChangedMigrationError extends Error {
  override readonly name = 'ChangedMigrationError';
  readonly startFault = 'configuration';

  constructor(
    readonly schema: string,
    readonly changed: readonly string[],
  ) {
    super(
      `The migrations ${changed.join(', ')} of the schema ${schema} were applied with another content. ` +
        'Start the release that applied them, or a later one; or delete data that is not needed, such as the folder .data of "npm start".',
    );
  }
}

/** The schema does not exist. */
export class MissingSchemaError extends Error {
  override readonly name = 'MissingSchemaError';
  readonly startFault = 'unavailable';

  constructor(readonly schema: string) {
    super(
      `The database has no schema ${schema}, or the role has no right to it. An administrator makes it with ` +
        `"${migrateCommandOf(schema)} --setup-sql <database> | psql <database>".`,
    );
  }
}

/** Another process applies migrations and has not ended in time. */
export class MigrationRunningError extends Error {
  override readonly name = 'MigrationRunningError';

  constructor(readonly schema: string) {
    super(
      `Another process has been migrating the schema ${schema} for a long time. ` +
        'Run the command again when it has ended; pg_stat_activity shows it.',
    );
  }
}
