import type { Database, SqlSession } from '@ssb/database';
import { dateOf, SettlementCycleTimeline, type Cycle, type TimelineLoad } from '@ssb/market';
import type { InvoiceWindow } from '../domain/settlement-question.js';
import type { LoadResult } from './insert-once.js';

/** The settlement cycles of the market. A date may be moved: a cycle that is loaded again replaces the old one. */
export class TimelineRecords {
  constructor(private readonly database: Database) {}

  /** One transaction for all cycles of the timeline; those that are not named stay. */
  load({ timeline }: TimelineLoad): Promise<LoadResult> {
    return this.database.transaction(async (session) => {
      let result: LoadResult = 'already-there';
      for (const cycle of timeline.cycles ?? []) if (await replace(session, cycle)) result = 'loaded';
      return result;
    });
  }

  /** Operation 10: `{"cycles":[…]}` of the cycles with at least one run invoiced within the window. */
  async within({ from, to }: InvoiceWindow): Promise<string> {
    const rows = await this.database.query<{ document: string }>(
      `SELECT document FROM cycle
       WHERE EXISTS (SELECT 1 FROM unnest(invoice_dates) AS invoiced WHERE invoiced BETWEEN $1 AND $2)
       ORDER BY period_from, market_service`,
      [from, to],
    );
    return `{"cycles":[${rows.map(({ document }) => document).join(',')}]}`;
  }
}

/** Whether the cycle is new or differs from the one that was there. */
async function replace(session: SqlSession, cycle: Cycle): Promise<boolean> {
  const changed = await session.query(
    `INSERT INTO cycle (market_service, period_from, invoice_dates, document) VALUES ($1, $2, $3, $4)
     ON CONFLICT (market_service, period_from)
     DO UPDATE SET invoice_dates = EXCLUDED.invoice_dates, document = EXCLUDED.document
     WHERE cycle.document <> EXCLUDED.document
     RETURNING market_service`,
    [
      cycle.marketService,
      dateOf(cycle.periodFrom),
      (cycle.runs ?? []).map(({ invoiceDate }) => dateOf(invoiceDate)),
      documentOf(cycle),
    ],
  );
  return changed.length > 0;
}

/** A timeline of one cycle, without what stands around it. */
function documentOf(cycle: Cycle): string {
  const text = SettlementCycleTimeline.serialise({ cycles: [cycle] });
  return text.slice('{"cycles":['.length, -']}'.length);
}
