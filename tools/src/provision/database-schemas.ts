import { createSchema, Database, readMigrations, withRole, type Migration } from '@ssb/postgres';
import {
  FURTHER_ROLES,
  migrations as archiveMigrations,
  OBSOLETE_ROLES,
  SCHEMA,
  writeRetention,
} from '@ssb/postgres/archive-schema';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SecretsFolder } from '@ssb/keys/deployment';
import { REPOSITORY_ROOT } from '../system/processes.js';

/** The apps with data in PostgreSQL. Each has a schema and roles of its own name. */
const APPS = ['token', 'reporting', 'subscriber'] as const;

/** `DATABASE_URL` of each app, with the app's run role, and of the further roles. */
export type DatabaseUrls = Readonly<Record<(typeof APPS)[number] | (typeof FURTHER_ROLES)[number], string>>;

/**
 * Creates the schema and roles of each app and applies its migrations. Passwords are generated once, in the secrets folder.
 * @param adminUrl database URL with a role that may create roles and schemas
 * @param retentionDays ARCHIVE_RETENTION_DAYS; without it archived events are kept
 */
export async function ensureSchemas(
  adminUrl: string,
  secretsFolder: string,
  retentionDays?: number,
): Promise<DatabaseUrls> {
  const secrets = new SecretsFolder(secretsFolder);
  const further = Object.fromEntries(
    FURTHER_ROLES.map((role) => [role, secrets.value(`database-${role}.password`)]),
  );
  const urls = APPS.map(async (schema) => {
    const isArchive = schema === SCHEMA;
    const migrations = isArchive ? archiveMigrations : readAppMigrations(schema);
    const passwords = {
      run: secrets.value(`database-${schema}.password`),
      migration: secrets.value(`database-${schema}-migration.password`),
    };
    const roles = isArchive ? { furtherRoles: further, obsoleteRoles: OBSOLETE_ROLES } : {};
    const url = await createSchema(adminUrl, { schema, migrations, passwords, ...roles });
    if (isArchive)
      await applyRetention(withRole(adminUrl, `${schema}_migration`, passwords.migration), retentionDays);
    return [schema, url] as const;
  });
  return {
    ...Object.fromEntries(await Promise.all(urls)),
    ...Object.fromEntries(
      Object.entries(further).map(([role, password]) => [role, withRole(adminUrl, role, password)]),
    ),
  } as DatabaseUrls;
}

async function applyRetention(ownerUrl: string, days: number | undefined): Promise<void> {
  const owner = new Database({ url: ownerUrl, schema: SCHEMA, connections: 1 });
  try {
    await writeRetention(owner, days);
  } finally {
    await owner.close();
  }
}

function readAppMigrations(app: string): Migration[] {
  return readMigrations(pathToFileURL(join(REPOSITORY_ROOT, 'apps', app, 'migrations/')));
}
