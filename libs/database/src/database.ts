/** A value that a statement takes. Numbers with more digits than a double holds travel as text. */
export type SqlValue =
  string | number | bigint | boolean | Date | Uint8Array | null | readonly (string | null)[];

export interface SqlSession {
  /**
   * Runs one statement. Values come back alike from every engine: `numeric` as text with all its digits, `date` and `timestamp` as
   * the text that was stored, `timestamptz` as Date, `bigint` as number, or as bigint beyond 2^53, `bytea` as Uint8Array.
   * @param parameters values of `$1`, `$2`, …
   * @returns the rows, empty when the statement returns none
   * @throws the engine's error, with its SQLSTATE in `code`; DatabaseUnavailableError when there is no connection to be had
   */
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;
  /**
   * Tells every listener of the channel, in every process that shares the database. Within a transaction: once it has committed, and
   * the same payload once only.
   * @param payload at most 7,999 bytes
   */
  notify(channel: string, payload: string): Promise<void>;
}

/** Who hears notifications. All three are called without waiting for them; none may throw. */
export interface Listener {
  /** In the order of commits. */
  readonly heard: (payload: string) => void;
  /** The connection is gone: what is notified from now on, and perhaps shortly before, is missed. */
  readonly lost: () => void;
  /** Heard again; what was missed meanwhile does not come. */
  readonly regained: () => void;
}

/** Ends the listening. Harmless when repeated. */
export type StopListening = () => Promise<void>;

/** SQL storage. What a transaction wrote is on disk once its promise resolves. */
export interface Database extends SqlSession {
  /**
   * All or nothing: rolled back when `work` throws, and the error passed on. Read committed. The embedded engine runs one at a time and
   * nothing beside it; others wait.
   */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /**
   * Resolves once the channel is heard. What is committed after that is heard, unless `lost` says otherwise.
   * @param channel lower-case letters, digits and underscores, at most 30
   */
  listen(channel: string, listener: Listener): Promise<StopListening>;
  /** Waits for what runs, then closes. Harmless when repeated. */
  close(): Promise<void>;
}
