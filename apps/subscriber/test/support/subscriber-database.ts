import { createSchema, Database } from '@ssb/postgres';
import { createTestDatabase } from '@ssb/testing';
import { acquireReaderLease, type ReaderToken } from '../../src/replica/reader-lease.js';
import type { Term } from '../../src/replica/running-term.js';
import type { DeliveryOutbox } from '../../src/deliveries/outbox/delivery-outbox.js';
import { Archive, type ArchiveOptions } from '../../src/archive/archive.js';
import { migrations, SCHEMA } from '../../src/database/database-options.js';

/** A term without an expiry. */
export interface TestTerm extends Term {
  end(): void;
}

/** The subscriber's schema on a real server; `database` uses the run role. */
export async function openSubscriberDatabase() {
  const server = await createTestDatabase();
  const passwords = { run: 'run', migration: 'migration' };
  const url = await createSchema(server.adminUrl, { schema: SCHEMA, migrations, passwords });
  const database = new Database({ url, schema: SCHEMA });
  return {
    server,
    url,
    database,
    async clear(): Promise<void> {
      await server.query(
        `TRUNCATE subscriber.alert_outbox, subscriber.archive, subscriber.inbox, subscriber.quarantine,
                  subscriber.alert_subject, subscriber.reader_lease, subscriber.replica, subscriber.subject_sequence,
                  subscriber.inbox_horizon, subscriber.participant, subscriber.quarantine_recheck, subscriber.fault,
                  subscriber.alert_allowance, subscriber.heartbeat, subscriber.deleted_heartbeat, subscriber.deleted_event,
                  subscriber.channel_watermark, subscriber.catch_up_consumer, subscriber.sink_state`,
      );
      await server.query(
        'UPDATE subscriber.quarantine_status SET trusted_bytes = 0, untrusted_bytes = 0, evaluated_with = NULL',
      );
    },
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
    async close(): Promise<void> {
      await database.close();
      await server.close();
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
export async function readDepth(outbox: DeliveryOutbox): Promise<ReadonlyMap<string, number>> {
  const summary = await outbox.summarisePending();
  return new Map([...summary].map(([sink, { depth }]) => [sink, depth]));
}
