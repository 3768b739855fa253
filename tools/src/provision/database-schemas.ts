import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSchema, readMigrations } from '@ssb/database';
import { SecretsFolder } from './secrets-folder.js';
import { REPOSITORY } from '../system/app-process.js';

/** The apps that keep their data in PostgreSQL; each has a schema and roles of its own name. */
const APPS = ['token', 'reporting', 'subscriber'] as const;

/** `DATABASE_URL` of each app, for its run role. */
export type DatabaseUrls = Readonly<Record<(typeof APPS)[number], string>>;

/**
 * Makes each app's schema and roles, and applies its migrations. Passwords are made once, in the secrets folder.
 * @param adminUrl address for a role that may create roles and schemas
 */
export async function ensureSchemas(adminUrl: string, secretsFolder: string): Promise<DatabaseUrls> {
  const secrets = new SecretsFolder(secretsFolder);
  const urls = APPS.map(async (schema) => {
    const migrations = readMigrations(pathToFileURL(join(REPOSITORY, 'apps', schema, 'migrations/')));
    const passwords = {
      run: secrets.value(`database-${schema}.password`),
      migration: secrets.value(`database-${schema}-migration.password`),
    };
    return [schema, await createSchema(adminUrl, { schema, migrations, passwords })] as const;
  });
  return Object.fromEntries(await Promise.all(urls)) as DatabaseUrls;
}
