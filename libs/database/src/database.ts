import pg from 'pg';
import { connection, failure, type Timeouts } from './connection.js';
import { DatabaseUnavailableError, plainName, TransactionAbortedError } from './errors.js';
import { NotificationListener, type Listener, type StopListening } from './notification-listener.js';

/** A value that a statement takes. Numbers with more digits than a double holds travel as text. */
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
   * Runs one statement. Values come back as: `numeric` text with all its digits, `date` and `timestamp` the text that was stored,
   * `timestamptz` Date, `bigint` number, or bigint beyond 2^53, `bytea` Uint8Array.
   * @param parameters values of `$1`, `$2`, …
   * @returns the rows, empty when the statement returns none
   * @throws the server's error, with its SQLSTATE in `code`; DatabaseUnavailableError when there is no connection
   */
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;
  /**
   * Notifies every listener of the channel, in every process. Within a transaction: once it has committed, and the same payload once only.
   * @param payload at most 7,999 bytes
   */
  notify(channel: string, payload: string): Promise<void>;
}

/** What happened to a connection outside of any call, to be logged. Holds no secret. */
export interface DatabaseNotice {
  readonly what: 'connection-lost' | 'listening-lost' | 'listening-again';
  readonly reason?: string;
}

export interface DatabaseOptions {
  /** `postgres://…` or `postgresql://…`; TLS by its `sslmode`. */
  readonly url: string;
  /** Schema of the tables. */
  readonly schema: string;
  /** Most connections at a time. Default 10. Statements beyond them wait, five seconds at most. */
  readonly connections?: number;
  /** Every statement that writes is refused by the server. Default false. */
  readonly readOnly?: boolean;
  readonly timeouts?: Timeouts;
  readonly onNotice?: (notice: DatabaseNotice) => void;
}

/** Callers beyond these are turned away at once instead of being kept waiting for a connection. */
const MAX_WAITING = 1_000;
const IDLE_TIMEOUT_MS = 30_000;

/**
 * A PostgreSQL database over a bounded pool of connections. The next statement replaces a broken connection. No statement is repeated: the
 * caller decides that.
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
    onNotice = () => undefined,
  }: DatabaseOptions) {
    this.schema = plainName('schema', schema);
    const config = connection(url, { schema, bounded: true, readOnly, timeouts });
    this.pool = new pg.Pool({ ...config, max: connections, idleTimeoutMillis: IDLE_TIMEOUT_MS });
    this.pool.on('error', ({ message }) => onNotice({ what: 'connection-lost', reason: message }));
    this.listener = new NotificationListener(() => new pg.Client(config), onNotice);
  }

  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]> {
    return this.withClient((client) => run<Row>(client, sql, parameters));
  }

  notify(channel: string, payload: string): Promise<void> {
    return this.withClient((client) => this.sessionOn(client).notify(channel, payload));
  }

  /**
   * All or nothing: rolled back when `work` throws, and its error passed on. Read committed. What it wrote is on disk once the promise
   * resolves.
   * @throws TransactionAbortedError when `work` ignored the error of a statement
   */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.withClient(async (client) => {
      await run(client, 'BEGIN');
      try {
        const result = await work(this.sessionOn(client));
        await commit(client);
        return result;
      } catch (error) {
        // A broken connection is closed, which rolls back.
        if (!(error instanceof DatabaseUnavailableError))
          await run(client, 'ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }

  /**
   * Resolves once the channel is listened to. What is committed after that is received, unless `lost` says otherwise.
   * @param channel lower-case letters, digits and underscores, at most 30
   */
  listen(channel: string, listener: Listener): Promise<StopListening> {
    return this.listener.listen(this.channelName(channel), listener);
  }

  /** Waits for statements that run, then closes. Harmless when repeated. */
  close(): Promise<void> {
    return (this.closing ??= Promise.all([this.listener.close(), this.pool.end()]).then(() => undefined));
  }

  /** Notifications cross schemas, so the schema is part of the channel's name. */
  private channelName(channel: string): string {
    return `${this.schema}_${plainName('channel', channel)}`;
  }

  private sessionOn(client: pg.ClientBase): SqlSession {
    return {
      query: (sql, parameters) => run(client, sql, parameters),
      notify: async (channel, payload) => {
        await run(client, 'SELECT pg_notify($1, $2)', [this.channelName(channel), payload]);
      },
    };
  }

  private async withClient<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.pool.waitingCount >= MAX_WAITING)
      throw new DatabaseUnavailableError(`${MAX_WAITING} callers wait for a connection already`);
    const client = await this.pool.connect().catch((error: unknown) => {
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
}

async function commit(client: pg.ClientBase): Promise<void> {
  const { command } = await client.query('COMMIT').catch((error: unknown) => {
    throw failure(error);
  });
  // After a statement that failed, the server rolls back and reports no error.
  if (command !== 'COMMIT') throw new TransactionAbortedError();
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
