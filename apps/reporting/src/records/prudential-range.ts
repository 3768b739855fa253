import { BatchLoader, type Database } from '@ssb/database';
import type { MarketDate } from '@ssb/market';
import { answerBody } from './answer-body.js';
import { LARGEST_WINDOW, WindowTooLargeError } from './window-bound.js';

/** Ranges of one statement: each may be as large as the bound says. */
const MOST_TOGETHER = 8;
const BETWEEN = '\0';

const WANTED =
  'FROM prudential WHERE participant = asked.participant AND trading_day BETWEEN asked.since::date AND asked.until::date';
const SQL = `SELECT asked.place::integer AS place, size.bytes, CASE WHEN size.bytes <= $4 THEN
    (SELECT string_agg(document, ',' ORDER BY trading_day, calculated_at, sequence) ${WANTED}) END AS documents
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked (participant, since, until, place)
  CROSS JOIN LATERAL (SELECT coalesce(sum(octet_length(document) + 1), 0)::bigint AS bytes ${WANTED}) AS size`;

interface Found {
  readonly place: number;
  readonly bytes: number;
  readonly documents: string | null;
}

/**
 * Operation 1: every calculation, forecasts too, whose trading day lies in the range, by trading day and then by the time it was made. How
 * long it will be is asked first, so that an absurd range costs a sum and no memory.
 */
export class PrudentialRanges {
  private readonly loader: BatchLoader<Found>;

  constructor(private readonly database: Database) {
    this.loader = new BatchLoader((questions) => this.lookUp(questions), MOST_TOGETHER);
  }

  /** The body of the answer, empty list included. @throws WindowTooLargeError */
  async find(participant: string, from: MarketDate, to: MarketDate): Promise<Uint8Array> {
    const found = await this.loader.find([participant, from, to].join(BETWEEN));
    const bytes = found?.bytes ?? 0;
    if (bytes > LARGEST_WINDOW) throw new WindowTooLargeError(bytes, LARGEST_WINDOW);
    return answerBody(`[${found?.documents ?? ''}]`);
  }

  private async lookUp(questions: readonly string[]): Promise<ReadonlyMap<string, Found>> {
    const parts = questions.map((question) => question.split(BETWEEN));
    const columns = [0, 1, 2].map((column) => parts.map((part) => part[column] ?? null));
    const rows = await this.database.query<Found>(SQL, [...columns, LARGEST_WINDOW]);
    return new Map(rows.map((row) => [questions[row.place - 1] ?? '', row]));
  }
}
