import pg from 'pg';
import type { Database, SqlSession, SqlValue } from '../database.js';
import { DatabaseUnavailableError, plainName } from '../errors.js';
import type { DatabaseNotice } from '../open-database.js';
import { connection, failure } from './connection.js';
import { Hearing } from './hearing.js';

export interface ServerOptions {
  readonly schema: string;
  readonly connections: number;
  readonly onNotice: (notice: DatabaseNotice) => void;
}

/** Callers beyond these are turned away at once instead of being kept waiting for a connection. */
const MOST_WAITING = 1_000;
const IDLE_MS = 30_000;

/**
 * A PostgreSQL server, over a bounded pool of connections. A connection that broke is thrown away and the next statement opens another,
 * so that a restart of the server costs the statements under way and no more. Nothing is repeated: the caller knows whether it may be.
 */
export function serverDatabase(address: string, { schema, connections, onNotice }: ServerOptions): Database {
  const pool = new pg.Pool({
    ...connection(address, schema, true),
    max: connections,
    idleTimeoutMillis: IDLE_MS,
  });
  pool.on('error', ({ message }) => onNotice({ what: 'connection-lost', reason: message }));
  const hearing = new Hearing(() => new pg.Client(connection(address, schema, true)), onNotice);
  const channelOf = (channel: string): string => `${schema}_${plainName('channel', channel)}`;
  let closing: Promise<void> | undefined;

  return {
    query: (sql, parameters) => withClient(pool, (client) => run(client, sql, parameters)),
    notify: (channel, payload) =>
      withClient(pool, (client) => sessionOn(client, channelOf).notify(channel, payload)),
    transaction: (work) =>
      withClient(pool, (client) => inTransaction(client, () => work(sessionOn(client, channelOf)))),
    listen: (channel, listener) => hearing.listen(channelOf(channel), listener),
    close: () => (closing ??= Promise.all([hearing.close(), pool.end()]).then(() => undefined)),
  };
}

/** `BEGIN` … `COMMIT`, or `ROLLBACK` and the work's own error. */
export async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await run(client, 'BEGIN');
  try {
    const result = await work();
    await run(client, 'COMMIT');
    return result;
  } catch (error) {
    // On a broken connection there is nothing to roll back: the server has done it, and the first error is the one that says why.
    await run(client, 'ROLLBACK').catch(() => undefined);
    throw error;
  }
}

export function sessionOn(client: pg.ClientBase, channelOf: (channel: string) => string): SqlSession {
  return {
    query: (sql, parameters) => run(client, sql, parameters),
    notify: async (channel, payload) => {
      await run(client, 'SELECT pg_notify($1, $2)', [channelOf(channel), payload]);
    },
  };
}

async function run<Row>(
  client: pg.ClientBase,
  sql: string,
  parameters: readonly SqlValue[] = [],
): Promise<Row[]> {
  try {
    return (await client.query(sql, [...parameters])).rows as Row[];
  } catch (error) {
    throw failure(error);
  }
}

async function withClient<T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  if (pool.waitingCount >= MOST_WAITING)
    throw new DatabaseUnavailableError(`${MOST_WAITING} callers wait for a connection already`);
  const client = await pool.connect().catch((error: unknown) => {
    throw failure(error);
  });
  let broken: Error | undefined;
  const onError = (error: Error): void => void (broken = error);
  client.on('error', onError);
  try {
    return await use(client);
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) broken ??= error;
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}
