import { createSchema, readMigrations, withRole } from '@ssb/postgres';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SecretsFolder } from '@ssb/keys/deployment';
import { REPOSITORY_ROOT } from '../system/processes.js';

/** The apps with data in PostgreSQL. Each has a schema and roles of its own name. */
const APPS = ['token', 'reporting', 'subscriber'] as const;

/** `DATABASE_URL` of each app, with the app's run role, and of the commands that add requests. */
export type DatabaseUrls = Readonly<Record<(typeof APPS)[number] | 'requests', string>>;

/**
 * Creates the schema and roles of each app and applies its migrations. Passwords are generated once, in the secrets folder.
 * @param adminUrl database URL with a role that may create roles and schemas
 */
export async function ensureSchemas(adminUrl: string, secretsFolder: string): Promise<DatabaseUrls> {
  const secrets = new SecretsFolder(secretsFolder);
  const requests = secrets.value('database-requests.password');
  const urls = APPS.map(async (schema) => {
    const migrations = readMigrations(pathToFileURL(join(REPOSITORY_ROOT, 'apps', schema, 'migrations/')));
    const passwords = {
      run: secrets.value(`database-${schema}.password`),
      migration: secrets.value(`database-${schema}-migration.password`),
    };
    const furtherRoles = { ...(schema === 'subscriber' && { requests }) };
    return [schema, await createSchema(adminUrl, { schema, migrations, passwords, furtherRoles })] as const;
  });
  return {
    ...Object.fromEntries(await Promise.all(urls)),
    requests: withRole(adminUrl, 'requests', requests),
  } as DatabaseUrls;
}
