import { createSchema, Database } from '@ssb/database';
import { createTestDatabase } from '@ssb/testing';
import { acquireReaderLease, type ReaderToken } from '../../src/replica/reader-lease.js';
import type { Term } from '../../src/replica/term.js';
import { migrations, SCHEMA } from '../../src/storage/database-options.js';

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
                  subscriber.alert_subject, subscriber.reader_lease, subscriber.replica`,
      );
    },
    /** A replica whose lease outlasts the test. */
    async newTerm(): Promise<TestTerm> {
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
    },
    /** A replica that reads the channels. */
    async newReader(): Promise<ReaderToken> {
      const { token } = await this.newTerm();
      const reader = await acquireReaderLease(database, 'subscriber', token);
      if (reader === undefined) throw new Error('another replica reads');
      return reader;
    },
    async close(): Promise<void> {
      await database.close();
      await server.close();
    },
  };
}

export type SubscriberDatabase = Awaited<ReturnType<typeof openSubscriberDatabase>>;
