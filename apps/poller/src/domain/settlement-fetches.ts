import {
  dateOf,
  designationOfRun,
  type Designation,
  type MarketDateTime,
  type MarketService,
  type SettlementCycleTimeline,
} from '@ssb/market';

/** A statement or invoice to request from the reporting API. */
export interface SettlementFetch {
  readonly resource: 'statement' | 'invoice';
  readonly marketService: MarketService;
  readonly periodFrom: MarketDateTime;
  readonly designation: Designation;
}

/** Key of a fetch in the poller's state, such as `statement:WEM|2026-02-22|INITIAL`. */
export function fetchKey({ resource, marketService, periodFrom, designation }: SettlementFetch): string {
  return `${resource}:${marketService}|${dateOf(periodFrom)}|${designation}`;
}

/**
 * Unseen statements and invoices of the timeline that may be published by now, statements first. A run is due from its
 * `commencementDate`, or without one (STEM) from the end of the period.
 *
 * @param now market time
 * @param seen keys of `fetchKey` whose answer is already on the queue
 */
export function pendingFetches(
  timeline: SettlementCycleTimeline,
  now: MarketDateTime,
  seen: ReadonlySet<string>,
): SettlementFetch[] {
  const commenced = (timeline.cycles ?? []).flatMap(({ marketService, periodFrom, periodTo, runs }) =>
    (runs ?? []).flatMap((run) => {
      const designation = designationOfRun(marketService, run);
      if (designation === undefined || (run.commencementDate ?? periodTo) > now) return [];
      return [{ marketService, periodFrom, designation }];
    }),
  );
  const fetches = (['statement', 'invoice'] as const).flatMap((resource) =>
    commenced.map((run): SettlementFetch => ({ resource, ...run })),
  );
  // A run that the timeline lists twice is fetched once.
  const byKey = new Map(fetches.map((fetch) => [fetchKey(fetch), fetch]));
  return [...byKey.values()].filter((fetch) => !seen.has(fetchKey(fetch)));
}

/**
 * Selects at most `limit` fetches: never requested ones first, then the least recently requested.
 *
 * @param lastFetchedAt by key, any increasing clock
 */
export function selectFetches(
  pending: readonly SettlementFetch[],
  lastFetchedAt: ReadonlyMap<string, number>,
  limit: number,
): SettlementFetch[] {
  const lastTime = (fetch: SettlementFetch): number => lastFetchedAt.get(fetchKey(fetch)) ?? -Infinity;
  return [...pending]
    .sort((a, b) => (lastTime(a) === lastTime(b) ? 0 : lastTime(a) - lastTime(b)))
    .slice(0, limit);
}
