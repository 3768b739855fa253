import type { SqlSession } from '@ssb/database';
import { dateOf, SettlementCycleTimeline, type Cycle, type TimelineLoad } from '@ssb/market';

/**
 * Writes the cycles of a timeline. A date may be moved: a cycle that is loaded again replaces the old one; those that are not named stay.
 * @returns whether any cycle is new or differs from the one that was there
 */
export async function replaceCycles(session: SqlSession, { timeline }: TimelineLoad): Promise<boolean> {
  let changed = false;
  for (const cycle of timeline.cycles ?? []) if (await replace(session, cycle)) changed = true;
  return changed;
}

async function replace(session: SqlSession, cycle: Cycle): Promise<boolean> {
  const changed = await session.query(
    `INSERT INTO cycle (market_service, period_from, invoice_dates, document) VALUES ($1, $2, $3, $4)
     ON CONFLICT (market_service, period_from)
     DO UPDATE SET invoice_dates = EXCLUDED.invoice_dates, document = EXCLUDED.document, sequence = EXCLUDED.sequence
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
