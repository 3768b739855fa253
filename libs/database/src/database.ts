import pg from 'pg';
import { connectionConfig, type ConnectionEvent, type Timeouts } from './connection.js';
import {
  DatabaseUnavailableError,
  requirePlainName,
  toDatabaseError,
  TransactionAbortedError,
} from './errors.js';
import {
  NotificationListener,
  type NotificationHandler,
  type StopListening,
} from './notification-listener.js';

/** A parameter of a statement. Numbers with more digits than a double are passed as text. */
export type SqlValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | null
  | readonly (string | number | Date | null)[];

export interface SqlSession {
  /**
   * Runs one statement. Types of the result: `numeric`, `date` and `timestamp` are text, `timestamptz` is a Date, `bigint` is a number or,
   * beyond 2^53, a bigint, `bytea` is a Uint8Array.
   * @param parameters values of `$1`, `$2`, …
   * @returns the rows, empty when the statement returns none
   * @throws the server's error, with its SQLSTATE in `code`; DatabaseUnavailableError when there is no connection
   */
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;
  /**
   * Notifies every listener of the channel, in every process. Within a transaction, it does so at the commit and once per payload.
   * @param payload at most 7,999 bytes
   */
  notify(channel: string, payload: string): Promise<void>;
}

export interface DatabaseOptions {
  /** `postgres://…` or `postgresql://…`; TLS by its `sslmode`. */
  readonly url: string;
  /** Schema of the tables. */
  readonly schema: string;
  /** Maximum number of connections. Default 10. Further statements wait for one, at most five seconds. */
  readonly connections?: number;
  /** The server refuses every statement that writes. Default false. */
  readonly readOnly?: boolean;
  readonly timeouts?: Timeouts;
  readonly onConnectionEvent?: (event: ConnectionEvent) => void;
}

/** Further callers fail at once instead of waiting for a connection. */
const MAX_WAITING = 1_000;
const IDLE_TIMEOUT_MS = 30_000;

/**
 * A PostgreSQL database with a bounded pool of connections. The next statement replaces a broken connection. Statements are never
 * repeated.
 */
export class Database implements SqlSession {
  private readonly pool: pg.Pool;
  private readonly listener: NotificationListener;
  private readonly schema: string;
  private closing: Promise<void> | undefined;

  constructor({
    url,
    schema,
    connections = 10,
    readOnly = false,
    timeouts,
    onConnectionEvent = () => undefined,
  }: DatabaseOptions) {
    this.schema = requirePlainName('schema', schema);
    const config = connectionConfig(url, { schema, bounded: true, readOnly, timeouts });
    this.pool = new pg.Pool({ ...config, max: connections, idleTimeoutMillis: IDLE_TIMEOUT_MS });
    this.pool.on('error', ({ message }) => onConnectionEvent({ what: 'connection-lost', reason: message }));
    this.listener = new NotificationListener(() => new pg.Client(config), onConnectionEvent);
  }

  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]> {
    return this.withClient((client) => runStatement<Row>(client, sql, parameters));
  }

  notify(channel: string, payload: string): Promise<void> {
    return this.withClient((client) => this.createSession(client).notify(channel, payload));
  }

  /**
   * Runs `work` in a transaction (read committed). It is rolled back when `work` throws. When the promise resolves, the data is on disk.
   * @throws the error of `work`, or TransactionAbortedError when `work` ignored the error of a statement
   */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.withClient(async (client) => {
      await runStatement(client, 'BEGIN');
      try {
        const result = await work(this.createSession(client));
        await commit(client);
        return result;
      } catch (error) {
        // A broken connection is closed, which rolls back.
        if (!(error instanceof DatabaseUnavailableError))
          await runStatement(client, 'ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }

  /**
   * Resolves once the channel is listened to. Later notifications are received, unless `lost` is called.
   * @param channel lower-case letters, digits and underscores, at most 30
   */
  listen(channel: string, handler: NotificationHandler): Promise<StopListening> {
    return this.listener.listen(this.channelName(channel), handler);
  }

  /** Waits for the running statements, then closes. Harmless when repeated. */
  close(): Promise<void> {
    return (this.closing ??= Promise.all([this.listener.close(), this.pool.end()]).then(() => undefined));
  }

  /** Notifications cross schemas, so the schema is part of the channel's name. */
  private channelName(channel: string): string {
    return `${this.schema}_${requirePlainName('channel', channel)}`;
  }

  private createSession(client: pg.ClientBase): SqlSession {
    return {
      query: (sql, parameters) => runStatement(client, sql, parameters),
      notify: async (channel, payload) => {
        await runStatement(client, 'SELECT pg_notify($1, $2)', [this.channelName(channel), payload]);
      },
    };
  }

  private async withClient<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.pool.waitingCount >= MAX_WAITING)
      throw new DatabaseUnavailableError(`${MAX_WAITING} callers wait for a connection already`);
    const client = await this.pool.connect().catch((error: unknown) => {
      throw toDatabaseError(error);
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
}

async function commit(client: pg.ClientBase): Promise<void> {
  const { command } = await client.query('COMMIT').catch((error: unknown) => {
    throw toDatabaseError(error);
  });
  // After a failed statement, the server rolls back without an error.
  if (command !== 'COMMIT') throw new TransactionAbortedError();
}

async function runStatement<Row>(
  client: pg.ClientBase,
  sql: string,
  parameters: readonly SqlValue[] = [],
): Promise<Row[]> {
  try {
    return (await client.query(sql, [...parameters])).rows as Row[];
  } catch (error) {
    throw toDatabaseError(error);
  }
}
