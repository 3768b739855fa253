import type { SqlSession } from '@ssb/database';
import { type Cycle, dateOf, SettlementCycleTimeline } from '@ssb/market';
import type { BulkLine, TimelineLoad } from '@ssb/market-admin';
import type { TimeSlicer } from '../../time-slicer.js';
import { portions } from './portions.js';

/** A cycle to be written. */
export interface CycleRow {
  readonly marketService: string;
  readonly periodFrom: string;
  readonly invoiceDates: readonly string[];
  readonly document: string;
}

/** The cycles that stand after the lines, by key and in the order of loading: a later one of the same period replaces an earlier one. */
export async function standingCycles(
  lines: readonly BulkLine[],
  slicer: TimeSlicer,
): Promise<ReadonlyMap<string, CycleRow>> {
  const standing = new Map<string, CycleRow>();
  for (const line of lines) {
    if (line.kind !== 'timelines') continue;
    for (const cycle of line.record.timeline.cycles ?? []) {
      const row = rowOf(cycle);
      standing.delete(keyOf(row));
      standing.set(keyOf(row), row);
      await slicer.pauseIfDue();
    }
  }
  return standing;
}

/**
 * Writes cycles. A date may be moved: a cycle that is loaded again replaces the old one; those that are not named stay.
 * @returns the keys of those that are new or differ from the ones that were there
 */
export async function replaceCycles(
  session: SqlSession,
  standing: ReadonlyMap<string, CycleRow>,
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  for (const portion of portions(standing.values(), ({ document }) => document.length)) {
    const rows = await session.query<Pick<CycleRow, 'marketService' | 'periodFrom'>>(SQL, [
      portion.map(({ marketService }) => marketService),
      portion.map(({ periodFrom }) => periodFrom),
      // An array of arrays must have rows of one length in SQL: each travels as the text of one.
      portion.map(({ invoiceDates }) => `{${invoiceDates.join(',')}}`),
      portion.map(({ document }) => document),
    ]);
    for (const row of rows) changed.add(keyOf(row));
  }
  return changed;
}

/** Whether any cycle of the timeline is among those that changed. */
export function hasChanged({ timeline }: TimelineLoad, changed: ReadonlySet<string>): boolean {
  return (timeline.cycles ?? []).some(({ marketService, periodFrom }) =>
    changed.has(keyOf({ marketService, periodFrom: dateOf(periodFrom) })),
  );
}

const SQL = `
  INSERT INTO cycle (market_service, period_from, invoice_dates, document)
  SELECT market_service, period_from::date, invoice_dates::text[], document
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
    WITH ORDINALITY AS given (market_service, period_from, invoice_dates, document, place)
  ORDER BY place
  ON CONFLICT (market_service, period_from)
  DO UPDATE SET invoice_dates = EXCLUDED.invoice_dates, document = EXCLUDED.document, sequence = EXCLUDED.sequence
  WHERE cycle.document <> EXCLUDED.document
  RETURNING market_service AS "marketService", period_from::text AS "periodFrom"`;

function keyOf({ marketService, periodFrom }: Pick<CycleRow, 'marketService' | 'periodFrom'>): string {
  return `${marketService} ${periodFrom}`;
}

function rowOf(cycle: Cycle): CycleRow {
  return {
    marketService: cycle.marketService,
    periodFrom: dateOf(cycle.periodFrom),
    invoiceDates: (cycle.runs ?? []).map(({ invoiceDate }) => dateOf(invoiceDate)),
    document: documentOf(cycle),
  };
}

/** A timeline of one cycle, without what stands around it. */
function documentOf(cycle: Cycle): string {
  const text = SettlementCycleTimeline.serialise({ cycles: [cycle] });
  return text.slice('{"cycles":['.length, -']}'.length);
}
