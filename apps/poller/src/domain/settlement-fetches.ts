import {
  dateOf,
  designationOfRun,
  type Designation,
  type MarketDateTime,
  type MarketService,
  type SettlementCycleTimeline,
} from '@ssb/market';

/** A question to the reporting API that is worth asking now. */
export interface Ask {
  readonly resource: 'statement' | 'invoice';
  readonly marketService: MarketService;
  readonly periodFrom: MarketDateTime;
  readonly designation: Designation;
}

/** Names an ask in the watermarks: `statement:WEM|2026-02-22|INITIAL`. */
export function askKey({ resource, marketService, periodFrom, designation }: Ask): string {
  return `${resource}:${marketService}|${dateOf(periodFrom)}|${designation}`;
}

/**
 * The statements and invoices that the timeline lets expect by now and that have not been seen. A run is worth asking for from the
 * start of its process (`commencementDate`; STEM has none: from the end of the period) until seen. The dates by which it *must* be there
 * do not hold the question back: what is published early is wanted early. Statements come first: they are issued before the invoices.
 *
 * @param now the market's clock
 * @param seen keys of `askKey` that have been answered
 */
export function dueAsks(
  timeline: SettlementCycleTimeline,
  now: MarketDateTime,
  seen: ReadonlySet<string>,
): Ask[] {
  const commenced = (timeline.cycles ?? []).flatMap(({ marketService, periodFrom, periodTo, runs }) =>
    (runs ?? []).flatMap((run) => {
      const designation = designationOfRun(marketService, run);
      if (designation === undefined || (run.commencementDate ?? periodTo) > now) return [];
      return [{ marketService, periodFrom, designation }];
    }),
  );
  const asks = (['statement', 'invoice'] as const).flatMap((resource) =>
    commenced.map((run): Ask => ({ resource, ...run })),
  );
  // By key, so that a run that is listed twice is asked for once.
  const due = new Map(asks.map((ask) => [askKey(ask), ask]));
  return [...due.values()].filter((ask) => !seen.has(askKey(ask)));
}

/**
 * At most `limit` of the asks: those never asked first, then those asked longest ago, so that within a bounded number of requests each gets
 * its turn.
 *
 * @param lastAsked by key, any clock that grows
 */
export function chooseAsks(
  due: readonly Ask[],
  lastAsked: ReadonlyMap<string, number>,
  limit: number,
): Ask[] {
  const when = (ask: Ask): number => lastAsked.get(askKey(ask)) ?? -Infinity;
  return [...due].sort((a, b) => (when(a) === when(b) ? 0 : when(a) - when(b))).slice(0, limit);
}
