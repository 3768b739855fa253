import type { SqlSession } from '@ssb/postgres';
import { type Cycle, dateOf, SettlementCycleTimeline } from '@ssb/market';
import type { BulkLine, TimelineRecord } from '@ssb/market/admin';
import type { TimeSlicer } from '../../time-slicer.js';
import { splitIntoBatches } from './statement-batches.js';

/** A cycle to write. */
export interface CycleRow {
  readonly marketService: string;
  readonly periodFrom: string;
  readonly invoiceDates: readonly string[];
  readonly document: string;
}

/** The last cycle of each period in the lines, by key, in the order of loading. */
export async function lastCycles(
  lines: readonly BulkLine[],
  slicer: TimeSlicer,
): Promise<ReadonlyMap<string, CycleRow>> {
  const cycles = new Map<string, CycleRow>();
  for (const line of lines) {
    if (line.kind !== 'timelines') continue;
    for (const cycle of line.record.timeline.cycles ?? []) {
      const row = toRow(cycle);
      cycles.delete(cycleKey(row));
      cycles.set(cycleKey(row), row);
      await slicer.pauseIfDue();
    }
  }
  return cycles;
}

/**
 * Writes cycles. Dates can move, so a cycle that is loaded again replaces the stored one.
 * @returns the keys of new and changed cycles
 */
export async function replaceCycles(
  session: SqlSession,
  cycles: ReadonlyMap<string, CycleRow>,
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  for (const batch of splitIntoBatches(cycles.values(), ({ document }) => document.length)) {
    const rows = await session.query<Pick<CycleRow, 'marketService' | 'periodFrom'>>(SQL, [
      batch.map(({ marketService }) => marketService),
      batch.map(({ periodFrom }) => periodFrom),
      // SQL arrays of arrays need rows of one length, so each array is sent as its text.
      batch.map(({ invoiceDates }) => `{${invoiceDates.join(',')}}`),
      batch.map(({ document }) => document),
    ]);
    for (const row of rows) changed.add(cycleKey(row));
  }
  return changed;
}

/** Whether any cycle of the timeline changed. */
export function hasChanged({ timeline }: TimelineRecord, changed: ReadonlySet<string>): boolean {
  return (timeline.cycles ?? []).some(({ marketService, periodFrom }) =>
    changed.has(cycleKey({ marketService, periodFrom: dateOf(periodFrom) })),
  );
}

const SQL = `
  INSERT INTO cycle (market_service, period_from, invoice_dates, document)
  SELECT market_service, period_from::date, invoice_dates::text[], document
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
    WITH ORDINALITY AS input (market_service, period_from, invoice_dates, document, position)
  ORDER BY position
  ON CONFLICT (market_service, period_from)
  DO UPDATE SET invoice_dates = EXCLUDED.invoice_dates, document = EXCLUDED.document, sequence = EXCLUDED.sequence
  WHERE cycle.document <> EXCLUDED.document
  RETURNING market_service AS "marketService", period_from::text AS "periodFrom"`;

function cycleKey({ marketService, periodFrom }: Pick<CycleRow, 'marketService' | 'periodFrom'>): string {
  return `${marketService} ${periodFrom}`;
}

function toRow(cycle: Cycle): CycleRow {
  return {
    marketService: cycle.marketService,
    periodFrom: dateOf(cycle.periodFrom),
    invoiceDates: (cycle.runs ?? []).map(({ invoiceDate }) => dateOf(invoiceDate)),
    document: serialiseCycle(cycle),
  };
}

/** Serialises a timeline of one cycle and cuts the cycle out of it. */
function serialiseCycle(cycle: Cycle): string {
  const text = SettlementCycleTimeline.serialise({ cycles: [cycle] });
  return text.slice('{"cycles":['.length, -']}'.length);
}
