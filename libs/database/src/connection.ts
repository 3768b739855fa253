import { types } from 'node:util';
import pg from 'pg';
import { DatabaseUnavailableError } from './errors.js';

/** Without a connection for so long the server counts as away. */
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 60_000;
/** The client stops waiting so much later than the server ends a statement. */
const ANSWER_TIMEOUT_MS = 1_000;

const BIGINT = 20;
const DATE = 1082;
const TIMESTAMP = 1114;

/** A date without zone stays text; a bigint is a number while a number can hold it. */
const PARSERS: Record<number, (text: string) => unknown> = {
  [BIGINT]: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)),
  [DATE]: (text) => text,
  [TIMESTAMP]: (text) => text,
};

const parserOf = (oid: number): unknown => PARSERS[oid] ?? pg.types.getTypeParser(oid, 'text');
const readers = { getTypeParser: parserOf as typeof pg.types.getTypeParser };

export interface ConnectionOptions {
  readonly schema: string;
  /** Statements are ended after a minute; a migration may take longer. */
  readonly bounded: boolean;
  readonly readOnly?: boolean;
  readonly timeouts?: Timeouts;
}

/** Bounds in milliseconds. */
export interface Timeouts {
  /** Opening a connection, or waiting for a free one. Default 5 s. */
  readonly connectMs?: number;
  /** One statement. Default 60 s. */
  readonly statementMs?: number;
  /** How much longer than that the client waits for a server that does not answer. Default 1 s. */
  readonly answerMs?: number;
  /** The wait for a lock. Default: as long as the statement may take. */
  readonly lockMs?: number;
  /** A transaction in which nothing happens, because its client stands still. Default 60 s. */
  readonly idleInTransactionMs?: number;
}

/** How every connection is opened. */
export function connection(
  address: string,
  { schema, bounded, readOnly = false, timeouts = {} }: ConnectionOptions,
): pg.ClientConfig {
  const url = new URL(address);
  // Startup parameters hold from the first statement on; what the address itself sets comes last and wins.
  const ours = [`-c search_path=${schema}`, '-c datestyle=ISO,YMD'];
  if (readOnly) ours.push('-c default_transaction_read_only=on');
  url.searchParams.set('options', [...ours, url.searchParams.get('options') ?? ''].join(' ').trim());
  return {
    connectionString: url.href,
    connectionTimeoutMillis: timeouts.connectMs ?? CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    fallback_application_name: `settlement-bus-bridge ${schema}`,
    types: readers,
    ...(bounded && {
      statement_timeout: timeouts.statementMs ?? STATEMENT_TIMEOUT_MS,
      query_timeout:
        (timeouts.statementMs ?? STATEMENT_TIMEOUT_MS) + (timeouts.answerMs ?? ANSWER_TIMEOUT_MS),
      idle_in_transaction_session_timeout: timeouts.idleInTransactionMs ?? STATEMENT_TIMEOUT_MS,
      ...(timeouts.lockMs !== undefined && { lock_timeout: timeouts.lockMs }),
    }),
  };
}

/** SQLSTATEs by which a server says that it, not the statement, is at fault: connection (08), shutting down or starting (57P), full (53300). */
const SERVER_AT_FAULT = /^(?:08|57P0[1-3]|53300)/;

/** What a failed statement or connection is thrown as: the server's own error, unless there is no server to use. */
export function failure(error: unknown): unknown {
  if (!types.isNativeError(error) || error instanceof DatabaseUnavailableError) return error;
  const { code } = error as { code?: string };
  if (error instanceof pg.DatabaseError && !SERVER_AT_FAULT.test(code ?? '')) return error;
  // A name with several addresses fails with an error that has a code and no message.
  return new DatabaseUnavailableError(error.message || String(code), { cause: error, code });
}
