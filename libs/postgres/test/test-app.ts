import { createHash } from 'node:crypto';
import type { TestDatabase } from '@ssb/testing';
import type { Migration } from '../src/migrations.js';
import { createSchema } from '../src/schema.js';

export const PASSWORDS = { run: 'run-password', migration: 'migration-password' };

export interface TestApp {
  readonly schema: string;
  /** Address for the run role. */
  readonly url: string;
  /** Address for the role that owns the schema. */
  readonly migrationUrl: string;
}

let schemas = 0;

/**
 * Creates a schema with its two roles.
 * @param createMigrations creates the migrations for the name of the schema
 */
export async function createTestApp(
  { adminUrl }: TestDatabase,
  createMigrations: (schema: string) => readonly Migration[] = () => [],
): Promise<TestApp> {
  const schema = `app_${(schemas += 1)}`;
  const migrations = createMigrations(schema);
  const url = await createSchema(adminUrl, { schema, migrations, passwords: PASSWORDS });
  return { schema, url, migrationUrl: withUser(url, `${schema}_migration`, PASSWORDS.migration) };
}

export function migration(id: string, sql: string): Migration {
  return { id, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}

/** The address of the same database for another role. */
export function withUser(url: string, user: string, password: string): string {
  const changed = new URL(url);
  changed.username = user;
  changed.password = encodeURIComponent(password);
  return changed.href;
}
