import pg from 'pg';
import { migrate, type Migration } from '../migrate.js';
import { connection, failure } from './connection.js';
import { inTransaction, sessionOn } from './server-database.js';

/** Any number, the same in every release: who migrates a database holds it, and several replicas that start at once take turns. */
const MIGRATION_LOCK = 7_305_118;

/** Makes the schema when missing and runs the migrations, on a connection of its own, without a bound in time. */
export async function migrateServer(
  address: string,
  schema: string,
  migrations: readonly Migration[],
): Promise<void> {
  const client = new pg.Client(connection(address, schema, false));
  // A connection that breaks fails the statement under way; the event says nothing more.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw failure(error);
  }
  try {
    const session = sessionOn(client, (channel) => channel);
    await session.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const [found] = await session.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
    if (found === undefined) await session.query(`CREATE SCHEMA ${schema}`);
    await migrate(
      { ...session, transaction: (work) => inTransaction(client, () => work(session)) },
      migrations,
    );
  } finally {
    // The lock goes with the connection.
    await client.end().catch(() => undefined);
  }
}
