import { createSchema, Database } from '@ssb/postgres';
import { createTestDatabase, type TestDatabase } from '@ssb/testing';
import { acquireReaderLease, type ReaderToken } from '../../src/replica/reader-lease.js';
import type { Term } from '../../src/replica/running-term.js';
import { summarisePending } from '../../src/deliveries/outbox/pending-summary.js';
import { Archive, type ArchiveOptions } from '../../src/archive/archive.js';
import { TEST_POLICY } from './archive-entries.js';
import { migrations, OBSOLETE_ROLES, SCHEMA } from '@ssb/postgres/archive-schema';

/** A term without an expiry. */
export interface TestTerm extends Term {
  end(): void;
}

/** Shared by the files of a worker, which run one after the other. It ends with the worker's server. */
let created: Promise<{ readonly server: TestDatabase; readonly url: string }> | undefined;

async function createSubscriberDatabase() {
  const server = await createTestDatabase();
  const passwords = { run: 'run', migration: 'migration' };
  const url = await createSchema(server.adminUrl, {
    schema: SCHEMA,
    migrations,
    passwords,
    furtherRoles: { api: 'api', poller: 'poller' },
    obsoleteRoles: OBSOLETE_ROLES,
  });
  await server.query(CREATE_CLEAR);
  return { server, url };
}

const TABLES =
  'delivery delivery_subject archive inbox quarantine quarantine_recheck reader_lease replica subject_sequence inbox_horizon participant fault report_allowance heartbeat deleted_heartbeat deleted_event channel_watermark catch_up_consumer sink_state problem problem_change request audit attempt silence silenced_problem trusted_key revoked_key calculation calculation_summary settlement_event invoice settlement_run unread_event archive_insertion archive_retention document_content document console_session';

/**
 * Deleting a few rows costs less than truncating all tables. As a replica, the session runs no triggers and checks no foreign keys. A
 * function, so that one connection serves all tests of a file.
 */
const CREATE_CLEAR = `CREATE FUNCTION public.clear_subscriber() RETURNS void
  LANGUAGE plpgsql SET session_replication_role = replica AS $$
  BEGIN
    ${TABLES.split(' ')
      .map((table) => `DELETE FROM subscriber.${table};`)
      .join(' ')}
    UPDATE subscriber.quarantine_status SET trusted_bytes = 0, untrusted_bytes = 0, evaluated_with = NULL;
  END $$`;

/** The empty schema of the subscriber on a real server; `database` uses the run role. */
export async function openSubscriberDatabase() {
  const { server, url } = await (created ??= createSubscriberDatabase());
  await server.start();
  const admin = new Database({ url: server.adminUrl, schema: SCHEMA });
  const clear = async (): Promise<void> => void (await admin.query('SELECT public.clear_subscriber()'));
  await clear();
  const database = new Database({ url, schema: SCHEMA });
  return {
    server,
    url,
    database,
    clear,
    /** Consumers that count towards the limit of a day. */
    async countRecentConsumers(): Promise<number> {
      const rows = await server.query('SELECT 1 FROM subscriber.catch_up_consumer WHERE counts');
      return rows.length;
    },
    /** Consumers of earlier processes. */
    async addConsumers(channel: string, count: number): Promise<void> {
      await server.query(
        `INSERT INTO subscriber.catch_up_consumer (client_id, channel, from_ms, read_client_id)
         SELECT 'subscriber', $1, -number, 'earlier' FROM generate_series(1, $2) AS number`,
        [channel, count],
      );
    },
    /** A replica whose lease outlasts the test. */
    newTerm: () => newTerm(database),
    /** A replica that reads the channels. */
    newReader: () => newReader(database),
    close: async () => {
      await database.close();
      await admin.close();
    },
  };
}

async function newTerm(database: Database): Promise<TestTerm> {
  const [row] = await database.query<{ fencing_token: number }>(
    `INSERT INTO replica (name, expires_at) VALUES ('test', now() + interval '1 day') RETURNING fencing_token`,
  );
  const controller = new AbortController();
  return {
    token: row?.fencing_token ?? NaN,
    ended: controller.signal,
    isActive: () => !controller.signal.aborted,
    reportLost: () => controller.abort(),
    end: () => controller.abort(),
  };
}

export async function newReader(database: Database): Promise<ReaderToken> {
  const { token } = await newTerm(database);
  const reader = await acquireReaderLease(database, 'subscriber', token);
  if (reader === undefined) throw new Error('another replica reads');
  return reader;
}

/** An archive without operational alerts, for which no fact is backlog. */
export function createArchive(database: Database, change: Partial<ArchiveOptions> = {}): Archive {
  return new Archive(database, {
    faults: { raiseWithin: () => Promise.resolve([]) },
    onFaultsStored: () => undefined,
    onIdentitiesAdvanced: () => undefined,
    verifyStored: () => ({ ok: true }),
    alertPolicy: () => TEST_POLICY,
    silences: { readActive: () => Promise.resolve([]) },
    participants: () => ['WPGENCO'],
    alertsSince: () => new Map([['WPGENCO', new Date(0)]]),
    lateAfterMs: 3_600_000,
    holdMs: 5_000,
    quarantineMaxBytes: 1_000_000,
    ...change,
  });
}

export type SubscriberDatabase = Awaited<ReturnType<typeof openSubscriberDatabase>>;

/** Number of pending alerts by sink. */
export async function readDepth(database: Database): Promise<ReadonlyMap<string, number>> {
  const summary = await summarisePending(database);
  return new Map([...summary].map(([sink, { depth }]) => [sink, depth]));
}
