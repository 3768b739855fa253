import type { Database } from '@ssb/database';
import type { InvoiceWindow } from '../domain/settlement-question.js';
import { LARGEST_WINDOW, TIMELINE_SCOPE, windowBody, type FoundWindow, type ReadThrough } from './reading.js';

const WANTED =
  'FROM cycle WHERE EXISTS (SELECT 1 FROM unnest(invoice_dates) AS invoiced WHERE invoiced BETWEEN $1 AND $2)';
const SQL = `SELECT size.bytes, CASE WHEN size.bytes <= $3 THEN
    (SELECT string_agg(document, ',' ORDER BY period_from, market_service) ${WANTED}) END AS documents
  FROM (SELECT coalesce(sum(octet_length(document) + 1), 0)::bigint AS bytes ${WANTED}) AS size`;

/** The settlement cycles of the market. A date may be moved: a cycle that is loaded again replaces the old one. */
export class TimelineRecords {
  constructor(
    private readonly database: Database,
    private readonly through: ReadThrough,
  ) {}

  /**
   * Operation 10: the body of the answer, with the cycles that have at least one run invoiced within the window. How long it will be is
   * asked first, as of a range of calculations.
   * @throws WindowTooLargeError
   */
  within({ from, to }: InvoiceWindow): Promise<Uint8Array> {
    return this.through.read({ scope: TIMELINE_SCOPE, question: `${from} ${to}` }, async () => {
      const [found] = await this.database.query<FoundWindow>(SQL, [from, to, LARGEST_WINDOW]);
      return windowBody(found, '{"cycles":[', ']}');
    });
  }
}
