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
  return listDocuments(timeline).flatMap(({ fetch, requestFrom }) =>
    requestFrom > now || seen.has(fetchKey(fetch)) ? [] : [fetch],
  );
}

/** Statements or invoices of a timeline. */
export interface PublicationCounts {
  /** Their date in the timeline has passed, and they are not there. One without a date is never due. */
  readonly due: number;
  readonly published: number;
}

/** @param seen keys of `fetchKey` that are published */
export function countPublications(
  timeline: SettlementCycleTimeline,
  now: MarketDateTime,
  seen: ReadonlySet<string>,
): Readonly<Record<SettlementFetch['resource'], PublicationCounts>> {
  const documents = listDocuments(timeline);
  const count = (resource: SettlementFetch['resource']): PublicationCounts => {
    const own = documents.filter(({ fetch }) => fetch.resource === resource);
    const missing = own.filter(({ fetch }) => !seen.has(fetchKey(fetch)));
    const due = missing.filter(({ publishedOn }) => publishedOn !== undefined && publishedOn <= now).length;
    return { due, published: own.length - missing.length };
  };
  return { statement: count('statement'), invoice: count('invoice') };
}

interface TimelineDocument {
  readonly fetch: SettlementFetch;
  /** A run may be published before its date. */
  readonly requestFrom: MarketDateTime;
  readonly publishedOn: MarketDateTime | undefined;
}

/** Statements, then invoices. A run that the timeline lists twice is listed once. */
function listDocuments(timeline: SettlementCycleTimeline): TimelineDocument[] {
  const runs = (timeline.cycles ?? []).flatMap(({ marketService, periodFrom, periodTo, runs }) =>
    (runs ?? []).flatMap((run) => {
      const designation = designationOfRun(marketService, run);
      const requestFrom = run.commencementDate ?? periodTo;
      return designation === undefined ? [] : [{ run, requestFrom, marketService, periodFrom, designation }];
    }),
  );
  const documents = (['statement', 'invoice'] as const).flatMap((resource) =>
    runs.map(({ run, requestFrom, ...names }): TimelineDocument => {
      const publishedOn = resource === 'statement' ? run.statementDate : run.invoiceDate;
      return { fetch: { resource, ...names }, requestFrom, publishedOn };
    }),
  );
  return [...new Map(documents.map((document) => [fetchKey(document.fetch), document])).values()];
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
