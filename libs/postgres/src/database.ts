import pg from 'pg';
import { connectionConfig, type ConnectionEvent, type Timeouts } from './connection.js';
import {
  DatabaseUnavailableError,
  endsEarlierSessions,
  endsSession,
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

/** A connection of the pool while one caller uses it. */
interface UsedConnection {
  readonly client: pg.ClientBase;
  /** The error after which the connection must not be used again. */
  broken?: Error | undefined;
}

/**
 * A PostgreSQL database with a bounded pool of connections. An error that belongs to the session closes its connection, and the next
 * statement opens another one. Statements are never repeated.
 */
export class Database implements SqlSession {
  private readonly pool: pg.Pool;
  private readonly listener: NotificationListener;
  private readonly schema: string;
  private closing: Promise<void> | undefined;
  /** When each connection was opened, as the number of switches to read-only before it. */
  private readonly openedAt = new WeakMap<pg.ClientBase, number>();
  private switches = 0;
  /** Why connections ended. A new one can end before its caller receives it, and an error without a listener would end the process. */
  private readonly ended = new WeakMap<pg.ClientBase, Error>();

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
    this.pool.on('connect', (client) => {
      this.openedAt.set(client, this.switches);
      client.on('error', (error) => this.ended.set(client, error));
    });
    this.pool.on('error', ({ message }) => onConnectionEvent({ what: 'connection-lost', reason: message }));
    this.listener = new NotificationListener(() => new pg.Client(config), onConnectionEvent);
  }

  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]> {
    return this.withConnection((used) => this.run<Row>(used, sql, parameters));
  }

  notify(channel: string, payload: string): Promise<void> {
    return this.withConnection((used) => this.createSession(used).notify(channel, payload));
  }

  /**
   * Runs `work` in a transaction (read committed). It is rolled back when `work` throws. When the promise resolves, the data is on disk.
   * @throws the error of `work`, or TransactionAbortedError when `work` ignored the error of a statement
   */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.withConnection(async (used) => {
      await this.run(used, 'BEGIN');
      try {
        const result = await work(this.createSession(used));
        await this.commit(used);
        return result;
      } catch (error) {
        // A broken connection is closed, which rolls back. So is one whose rollback fails.
        if (this.whyBroken(used) === undefined)
          await this.run(used, 'ROLLBACK').catch((failure: Error) => (used.broken ??= failure));
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

  private createSession(used: UsedConnection): SqlSession {
    return {
      query: <Row>(sql: string, parameters?: readonly SqlValue[]) => this.run<Row>(used, sql, parameters),
      notify: async (channel, payload) => {
        await this.run(used, 'SELECT pg_notify($1, $2)', [this.channelName(channel), payload]);
      },
    };
  }

  private async withConnection<T>(use: (used: UsedConnection) => Promise<T>): Promise<T> {
    const client = await this.connect();
    const used: UsedConnection = { client };
    try {
      return await use(used);
    } finally {
      client.release(this.whyBroken(used) ?? this.isOutdated(client));
    }
  }

  private whyBroken({ client, broken }: UsedConnection): Error | undefined {
    return broken ?? this.ended.get(client);
  }

  /** Closes connections that were opened before a switch to read-only. */
  private async connect(): Promise<pg.PoolClient> {
    for (;;) {
      if (this.pool.waitingCount >= MAX_WAITING)
        throw new DatabaseUnavailableError(`${MAX_WAITING} callers wait for a connection already`);
      const client = await this.pool.connect().catch((error: unknown) => {
        throw toDatabaseError(error);
      });
      const end = this.ended.get(client);
      if (end === undefined && !this.isOutdated(client)) return client;
      client.release(true);
      if (end !== undefined) throw toDatabaseError(end);
    }
  }

  private isOutdated(client: pg.ClientBase): boolean {
    return (this.openedAt.get(client) ?? this.switches) < this.switches;
  }

  private async commit(used: UsedConnection): Promise<void> {
    const { command } = await this.send(used, 'COMMIT');
    // After a failed statement, the server rolls back without an error.
    if (command !== 'COMMIT') throw new TransactionAbortedError();
  }

  private async run<Row>(
    used: UsedConnection,
    sql: string,
    parameters: readonly SqlValue[] = [],
  ): Promise<Row[]> {
    return (await this.send(used, sql, parameters)).rows as Row[];
  }

  private async send(
    used: UsedConnection,
    sql: string,
    parameters?: readonly SqlValue[],
  ): Promise<pg.QueryResult> {
    try {
      return await used.client.query(sql, parameters && [...parameters]);
    } catch (error) {
      const thrown = toDatabaseError(error);
      if (endsSession(thrown)) used.broken ??= thrown as Error;
      if (endsEarlierSessions(thrown)) this.switches = this.nextSwitch(used);
      throw thrown;
    }
  }

  /** A connection that was opened after the last switch shows another one. */
  private nextSwitch({ client }: UsedConnection): number {
    return Math.max(this.switches, (this.openedAt.get(client) ?? this.switches) + 1);
  }
}
