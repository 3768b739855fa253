import { createSchema, Database, withRole } from '@ssb/postgres';
import { migrations, OBSOLETE_ROLES, SCHEMA } from '@ssb/postgres/archive-schema';
import { createTestDatabase, type TestDatabase } from '@ssb/testing';

/** Shared by the files of a worker, which run one after the other. It ends with the worker's server. */
let created: Promise<{ readonly server: TestDatabase; readonly url: string }> | undefined;

async function createTables() {
  const server = await createTestDatabase();
  const url = await createSchema(server.adminUrl, {
    schema: SCHEMA,
    migrations,
    passwords: { run: 'run', migration: 'migration' },
    furtherRoles: { api: 'api', poller: 'poller' },
    obsoleteRoles: OBSOLETE_ROLES,
  });
  return { server, url };
}

/** As a replica, the session runs no triggers and checks no foreign keys. Rows that a migration has inserted stay. */
const CLEAR = `DO $$ DECLARE name text; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '${SCHEMA}' AND tablename NOT IN ('migration', 'quarantine_status', 'console_key') LOOP
    EXECUTE format('DELETE FROM ${SCHEMA}.%I', name);
  END LOOP;
END $$`;

/** The empty tables of a subscriber. */
export async function openArchiveTables() {
  const { server, url } = await (created ??= createTables());
  // The previous file may have left it stopped.
  await server.start();
  const admin = new Database({ url: server.adminUrl, schema: SCHEMA });
  await admin.query(CLEAR);
  return {
    /** Ends the server as an operator does, and starts it again. */
    server,
    /** May write every table. */
    admin,
    /** `DATABASE_URL` with the role of the subscriber. */
    subscriberUrl: url,
    /** `DATABASE_URL` with the role api. */
    apiUrl: withRole(url, 'api', 'api'),
    /** The same with the role poller. */
    pollerUrl: withRole(url, 'poller', 'poller'),
    close: () => admin.close(),
  };
}

export type ArchiveTables = Awaited<ReturnType<typeof openArchiveTables>>;
