import pg from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 60_000;
/** The client waits this much longer than the server's own time-out of a statement. */
const RESPONSE_TIMEOUT_MS = 1_000;

const BIGINT = 20;
const DATE = 1082;
const TIMESTAMP = 1114;

/** A date or a timestamp without zone stays text. A bigint becomes a number where that is exact. */
const PARSERS: Record<number, (text: string) => unknown> = {
  [BIGINT]: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)),
  [DATE]: (text) => text,
  [TIMESTAMP]: (text) => text,
};

const getTypeParser = (oid: number): unknown => PARSERS[oid] ?? pg.types.getTypeParser(oid, 'text');

/** A change of a connection outside of any call, to be logged. Holds no secret. */
export interface ConnectionEvent {
  readonly what: 'connection-lost' | 'listening-lost' | 'listening-again';
  readonly reason?: string;
}

/** Time-outs in milliseconds. */
export interface Timeouts {
  /** Opening a connection, or waiting for a free one. Default 5 s. */
  readonly connectMs?: number;
  /** One statement. Default 60 s. */
  readonly statementMs?: number;
  /** How much longer than that the client waits for a server that does not respond. Default 1 s. */
  readonly responseMs?: number;
  /** Waiting for a lock. Default: as long as the statement may take. */
  readonly lockMs?: number;
  /** A transaction without a statement, because its client is stalled. Default 60 s. */
  readonly idleInTransactionMs?: number;
}

export interface ConnectionOptions {
  readonly schema: string;
  /** Applies the time-outs; a migration may take longer. */
  readonly bounded: boolean;
  readonly readOnly?: boolean;
  readonly timeouts?: Timeouts;
}

/** The configuration of every connection. */
export function connectionConfig(
  address: string,
  { schema, bounded, readOnly = false, timeouts = {} }: ConnectionOptions,
): pg.ClientConfig {
  const url = new URL(address);
  // Startup parameters apply from the first statement on. Those of the address come last and win.
  // To compile statements (jit) takes longer than to run them.
  const options = [`-c search_path=${schema}`, '-c datestyle=ISO,YMD', '-c jit=off'];
  if (readOnly) options.push('-c default_transaction_read_only=on');
  url.searchParams.set('options', [...options, url.searchParams.get('options') ?? ''].join(' ').trim());
  const statementMs = timeouts.statementMs ?? STATEMENT_TIMEOUT_MS;
  return {
    connectionString: url.href,
    connectionTimeoutMillis: timeouts.connectMs ?? CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    fallback_application_name: `settlement-bus-bridge ${schema}`,
    types: { getTypeParser: getTypeParser as typeof pg.types.getTypeParser },
    ...(bounded && {
      statement_timeout: statementMs,
      query_timeout: statementMs + (timeouts.responseMs ?? RESPONSE_TIMEOUT_MS),
      idle_in_transaction_session_timeout: timeouts.idleInTransactionMs ?? STATEMENT_TIMEOUT_MS,
      ...(timeouts.lockMs !== undefined && { lock_timeout: timeouts.lockMs }),
    }),
  };
}
