import type { Database } from '@ssb/database';
import type { MarketDate } from '@ssb/market';

/** The public notes of the prudential service: payloads of up to 10 MB. */
const LARGEST_RANGE = 10_000_000;

/** The calculations of a range would be a longer text than this service sends. */
export class RangeTooLargeError extends Error {
  override readonly name = 'RangeTooLargeError';

  constructor(
    readonly bytes: number,
    readonly allowed: number,
  ) {
    super(`the calculations are ${bytes} bytes long, and ${allowed} are allowed`);
  }
}

/**
 * Operation 1: the JSON array of every calculation, forecasts too, whose trading day lies in the range, by trading day and then by the
 * time it was made. How long it will be is asked first, so that an absurd range costs a sum and no memory.
 * @throws RangeTooLargeError
 */
export async function prudentialRange(
  database: Database,
  participant: string,
  from: MarketDate,
  to: MarketDate,
): Promise<string> {
  const wanted = 'FROM prudential WHERE participant = $1 AND trading_day BETWEEN $2 AND $3';
  const [row] = await database.query<{ bytes: number; documents: string | null }>(
    `SELECT size.bytes, CASE WHEN size.bytes <= $4 THEN
       (SELECT string_agg(document, ',' ORDER BY trading_day, calculated_at, sequence) ${wanted}) END AS documents
     FROM (SELECT coalesce(sum(octet_length(document) + 1), 0)::bigint AS bytes ${wanted}) AS size`,
    [participant, from, to, LARGEST_RANGE],
  );
  const bytes = row?.bytes ?? 0;
  if (bytes > LARGEST_RANGE) throw new RangeTooLargeError(bytes, LARGEST_RANGE);
  return `[${row?.documents ?? ''}]`;
}
