import { types } from 'node:util';
import pg from 'pg';
import { DatabaseUnavailableError } from '../errors.js';

/** No answer to opening a connection, or no free connection, for so long: the server counts as away. */
export const CONNECT_MS = 5_000;
/** A statement of ours takes far less; the server ends it then, and we no longer wait for it a little later. */
const STATEMENT_MS = 60_000;
const ANSWER_MS = 65_000;

const BIGINT = 20;
const DATE = 1082;
const TIMESTAMP = 1114;

/** As the embedded engine reads them: a date without zone stays text, a bigint is a number while a number can hold it. */
const PARSERS: Record<number, (text: string) => unknown> = {
  [BIGINT]: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)),
  [DATE]: (text) => text,
  [TIMESTAMP]: (text) => text,
};

const parserOf = (oid: number): unknown => PARSERS[oid] ?? pg.types.getTypeParser(oid, 'text');
const readers = { getTypeParser: parserOf as typeof pg.types.getTypeParser };

/**
 * How every connection to the server is opened.
 * @param bounded whether statements are ended after a minute; a migration may take longer
 */
export function connection(address: string, schema: string, bounded: boolean): pg.ClientConfig {
  const url = new URL(address);
  // Startup parameters hold from the first statement on; what the address itself asks for comes last and wins.
  const ours = [`-c search_path=${schema}`, '-c datestyle=ISO,YMD'];
  url.searchParams.set('options', [...ours, url.searchParams.get('options') ?? ''].join(' ').trim());
  return {
    connectionString: url.href,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    fallback_application_name: 'settlement-bus-bridge',
    types: readers,
    ...(bounded && {
      statement_timeout: STATEMENT_MS,
      query_timeout: ANSWER_MS,
      idle_in_transaction_session_timeout: STATEMENT_MS,
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
