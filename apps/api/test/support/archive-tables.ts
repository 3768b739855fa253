import { createSchema, Database, readMigrations, withRole } from '@ssb/postgres';
import { createTestDatabase } from '@ssb/testing';

const migrations = readMigrations(new URL('../../../../subscriber/migrations/', import.meta.url));
const SCHEMA = 'subscriber';

/** The empty tables of a subscriber. */
export async function createArchiveTables() {
  const server = await createTestDatabase();
  const url = await createSchema(server.adminUrl, {
    schema: SCHEMA,
    migrations,
    passwords: { run: 'run', migration: 'migration' },
    furtherRoles: { requests: 'requests', api: 'api' },
  });
  const admin = new Database({ url: server.adminUrl, schema: SCHEMA });
  return {
    /** Ends the server as an operator does, and starts it again. */
    server,
    /** May write every table. */
    admin,
    /** `DATABASE_URL` with the role of the subscriber. */
    subscriberUrl: url,
    /** `DATABASE_URL` with the role api. */
    apiUrl: withRole(url, 'api', 'api'),
    close: async () => {
      await admin.close();
      await server.close();
    },
  };
}

export type ArchiveTables = Awaited<ReturnType<typeof createArchiveTables>>;
