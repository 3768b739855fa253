import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { connectionConfig } from './connection.js';
import { DatabaseEncodingError, requirePlainName, toDatabaseError } from './errors.js';
import { applyMigrations, assertUtf8, type EncodingRow, type Migration } from './migrations.js';

export interface SchemaOptions {
  /** Name of the schema and of the app's run role. The role `<schema>_migration` owns the schema. */
  readonly schema: string;
  readonly migrations: readonly Migration[];
  /** Passwords of the two roles, in ASCII. */
  readonly passwords: { readonly run: string; readonly migration: string };
  /** Passwords of further roles by name. The migrations grant their rights. */
  readonly furtherRoles?: Readonly<Record<string, string>>;
  /** Names of roles that migrations need and nothing logs in with. */
  readonly obsoleteRoles?: readonly string[];
}

/** A role of the same name exists that this project did not create. Its password is not changed. */
export class RoleInUseError extends Error {
  override readonly name = 'RoleInUseError';

  constructor(readonly roles: readonly string[]) {
    super(
      `The server has roles named ${roles.join(', ')} that belong to something else. Use another server, or rename these roles.`,
    );
  }
}

const SCRAM_ITERATIONS = 4096;

/** Marks the roles of this project. */
const ROLE_COMMENT = 'settlement-bus-bridge';

/**
 * SQL that creates a schema with its roles; harmless when repeated. The run role may only use the schema: each migration grants the
 * rights to its tables.
 * @param database name of the database
 * @param furtherRoles names of roles that only migrations grant rights to
 * @param obsoleteRoles names of roles that lose LOGIN and password
 */
export function schemaSql(
  database: string,
  schema: string,
  furtherRoles: readonly string[] = [],
  obsoleteRoles: readonly string[] = [],
): string[] {
  const run = requirePlainName('schema', schema);
  const migration = `${run}_migration`;
  const further = furtherRoles.map((role) => requirePlainName('role', role));
  const name = pg.escapeIdentifier(database);
  return [
    ...[run, migration, ...further].map(
      (role) =>
        `DO $$ BEGIN IF to_regrole('${role}') IS NULL THEN CREATE ROLE ${role} LOGIN; COMMENT ON ROLE ${role} IS '${ROLE_COMMENT}'; END IF; END $$`,
    ),
    ...obsoleteRoles.map(withoutLogin),
    `GRANT ${migration} TO CURRENT_USER`,
    `REVOKE ALL ON DATABASE ${name} FROM PUBLIC`,
    `GRANT CONNECT ON DATABASE ${name} TO ${[run, migration, ...further].join(', ')}`,
    `CREATE SCHEMA IF NOT EXISTS ${run} AUTHORIZATION ${migration}`,
    `GRANT USAGE ON SCHEMA ${run} TO ${run}`,
  ];
}

/** Fails when a role of the same name belongs to something else, as `assertOwnRoles` does. */
function withoutLogin(obsoleteRole: string): string {
  const role = requirePlainName('role', obsoleteRole);
  return `DO $$ BEGIN IF to_regrole('${role}') IS NULL THEN CREATE ROLE ${role} NOLOGIN; COMMENT ON ROLE ${role} IS '${ROLE_COMMENT}'; ELSIF shobj_description(to_regrole('${role}'), 'pg_authid') IS DISTINCT FROM '${ROLE_COMMENT}' THEN RAISE EXCEPTION '${new RoleInUseError([role]).message}'; ELSE ALTER ROLE ${role} NOLOGIN PASSWORD NULL; END IF; END $$`;
}

/** Any number. The lock makes callers create their schemas one after the other. */
const SCHEMA_LOCK = 7_305_119;

/**
 * Creates the schema and its roles with these passwords, and applies the migrations.
 * @param adminUrl address for a role that may create roles and schemas
 * @returns address for the run role
 * @throws RoleInUseError, InvalidDatabaseNameError, DatabaseEncodingError, DatabaseUnavailableError, ChangedMigrationError, the server's error
 */
export async function createSchema(
  adminUrl: string,
  { schema, migrations, passwords, furtherRoles = {}, obsoleteRoles = [] }: SchemaOptions,
): Promise<string> {
  requirePlainName('schema', schema);
  const client = new pg.Client(connectionConfig(adminUrl, { schema: 'public', bounded: true }));
  client.on('error', () => undefined);
  try {
    await client.connect();
    await assertUtf8(async (sql) => (await client.query<EncodingRow>(sql)).rows);
    await client.query('SELECT pg_advisory_lock($1)', [SCHEMA_LOCK]);
    const further = Object.entries(furtherRoles);
    const names = further.map(([role]) => role);
    await assertOwnRoles(client, [schema, `${schema}_migration`, ...names, ...obsoleteRoles]);
    const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
    for (const { name } of rows)
      for (const statement of schemaSql(name, schema, names, obsoleteRoles)) await client.query(statement);
    await setPassword(client, schema, passwords.run);
    await setPassword(client, `${schema}_migration`, passwords.migration);
    for (const [role, password] of further) await setPassword(client, role, password);
  } catch (error) {
    throw error instanceof RoleInUseError || error instanceof DatabaseEncodingError
      ? error
      : toDatabaseError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
  await applyMigrations(withRole(adminUrl, `${schema}_migration`, passwords.migration), schema, migrations);
  return withRole(adminUrl, schema, passwords.run);
}

async function assertOwnRoles(client: pg.Client, roles: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>(
    `SELECT rolname FROM pg_roles
     WHERE rolname = ANY ($1::text[]) AND shobj_description(oid, 'pg_authid') IS DISTINCT FROM $2`,
    [roles, ROLE_COMMENT],
  );
  if (rows.length > 0) throw new RoleInUseError(rows.map(({ rolname }) => rolname));
}

/** Sends a verifier, so that no log of the server's statements holds the password. */
async function setPassword(client: pg.Client, role: string, password: string): Promise<void> {
  await client.query(`ALTER ROLE ${role} LOGIN PASSWORD '${scramVerifier(password)}'`);
}

/** SCRAM-SHA-256 as PostgreSQL stores it (RFC 5803). @param password ASCII */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, 'sha256');
  const key = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(key('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${stored}:${key('Server Key').toString('base64')}`;
}

/** The address for another role. */
export function withRole(url: string, role: string, password: string): string {
  const changed = new URL(url);
  changed.username = role;
  changed.password = encodeURIComponent(password);
  return changed.href;
}

/** SQLSTATEs of an existing database, and of one that is just being created. */
const ALREADY_EXISTS: ReadonlySet<unknown> = new Set(['42P04', '23505']);

/**
 * Creates a database unless it exists.
 * @param adminUrl address of any database of the server, for a role that may create one
 * @returns address of the database for the same role
 */
export async function createDatabase(adminUrl: string, name: string): Promise<string> {
  const client = new pg.Client(connectionConfig(adminUrl, { schema: 'public', bounded: true }));
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0)
      await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE template0 ENCODING 'UTF8'`);
  } catch (error) {
    // Another process created it at the same time.
    if (!ALREADY_EXISTS.has((error as { code?: string }).code)) throw toDatabaseError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
  const url = new URL(adminUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}
