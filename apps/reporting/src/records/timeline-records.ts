import type { Database } from '@ssb/database';
import type { InvoiceWindow } from '../domain/settlement-question.js';
import { answerBody } from './answer-body.js';
import { TIMELINE_SCOPE, type ReadThrough } from './reading.js';

/** The settlement cycles of the market. A date may be moved: a cycle that is loaded again replaces the old one. */
export class TimelineRecords {
  constructor(
    private readonly database: Database,
    private readonly through: ReadThrough,
  ) {}

  /** Operation 10: the body of the answer, with the cycles that have at least one run invoiced within the window. */
  within({ from, to }: InvoiceWindow): Promise<Uint8Array> {
    return this.through.read({ scope: TIMELINE_SCOPE, question: `${from} ${to}` }, async () => {
      const rows = await this.database.query<{ document: string }>(
        `SELECT document FROM cycle
         WHERE EXISTS (SELECT 1 FROM unnest(invoice_dates) AS invoiced WHERE invoiced BETWEEN $1 AND $2)
         ORDER BY period_from, market_service`,
        [from, to],
      );
      return answerBody(`{"cycles":[${rows.map(({ document }) => document).join(',')}]}`);
    });
  }
}
