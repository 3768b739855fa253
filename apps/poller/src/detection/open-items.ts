import type { DetectionSettings } from '@ssb/config';
import {
  dateOf,
  isMarketDate,
  isMarketDateTime,
  toInstant,
  toMarketDate,
  type MarketDate,
} from '@ssb/market';
import { z } from 'zod';
import { parseSaved } from '../state/parse-saved.js';
import { expectedUntil, type StalePosition } from './position/staleness.js';
import { endOfDay, type SettlementRun } from './settlement/runs.js';

export const OPEN_ITEM_KINDS = ['statement', 'invoice', 'document', 'calculation'] as const;

const openItem = z.object({
  kind: z.enum(OPEN_ITEM_KINDS),
  /** Absent for a calculation, as the other names of a run. */
  market: z.string().optional(),
  designation: z.string().optional(),
  periodFrom: z.string().refine(isMarketDateTime).optional(),
  period: z.string().optional(),
  /** The operator's identifier of the invoice whose document is missing. */
  invoiceNumber: z.string().optional(),
  /** The day of the timeline. */
  expectedOn: z.string().refine(isMarketDate).optional(),
  /** From when it is expected, RFC 3339 in UTC. */
  since: z.iso.datetime(),
  /** From when it is overdue; absent while it is not. */
  overdueSince: z.iso.datetime().optional(),
  /** Why it is missing, where that is known. */
  detail: z.string().optional(),
});

/** What the operator should have published by now, and has not. */
export type OpenItem = z.infer<typeof openItem>;

const savedItems = z.object({ version: z.literal(1), items: z.array(openItem) });

/** JSON with a `version`. */
export function formatOpenItems(items: readonly OpenItem[]): string {
  return JSON.stringify({ version: 1, items });
}

/** @returns undefined when the text is not a list of a known release */
export function parseOpenItems(text: string): readonly OpenItem[] | undefined {
  return parseSaved(savedItems, text)?.items;
}

/** Which publications of a run were seen. */
export interface SeenPublications {
  statement(run: SettlementRun): { readonly current?: object | undefined } | undefined;
  invoice(run: SettlementRun): { readonly current?: object | undefined } | undefined;
}

interface Present {
  readonly settings: DetectionSettings;
  readonly now: Date;
}

/** The statements and invoices whose day has come, and that are not there. */
export function listMissingPublications(
  runs: readonly SettlementRun[],
  seen: SeenPublications,
  { settings, now }: Present,
): OpenItem[] {
  const today = toMarketDate(now);
  return runs.flatMap((run) => {
    const create = (kind: 'statement' | 'invoice', day: MarketDate): OpenItem[] => {
      if (seen[kind](run)?.current !== undefined || day > today) return [];
      const { marketService: market, designation, periodFrom, period } = run;
      const names = { market, designation, periodFrom, period };
      const overdue = new Date(endOfDay(day).getTime() + settings.settlement.overdueGraceMs);
      return [
        {
          kind,
          ...names,
          expectedOn: day,
          since: toInstant(day).toISOString(),
          ...(overdue <= now && { overdueSince: overdue.toISOString() }),
        },
      ];
    };
    return [...create('statement', dateOf(run.statementDate)), ...create('invoice', dateOf(run.invoiceDate))];
  });
}

/** The calculation that ends an announced pause. */
export function listMissingCalculation(
  stale: StalePosition | undefined,
  { settings, now }: Present,
): OpenItem[] {
  if (stale === undefined) return [];
  const overdueSince = expectedUntil(stale, settings.position, now).toISOString();
  return [{ kind: 'calculation', since: toInstant(stale.lastCalculatedAt).toISOString(), overdueSince }];
}
