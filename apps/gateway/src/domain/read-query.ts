export interface ReadQuery {
  readonly fqcn: string;
  readonly amount?: number;
  /** ISO 8601, UTC, to the millisecond. */
  readonly from?: string;
  readonly clientId?: string;
}

/** `2026-11-20T01:02:03Z`, with any fraction; a date-time without a zone is UTC (document 002, GET message). */
const DATE_TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?$/;

/** A moment in ISO 8601, UTC, to the millisecond; undefined for what is none. */
export function readMoment(text: string): string | undefined {
  // In a query an unescaped plus sign of an offset arrives as a space.
  const [, local = '', zone = 'Z'] = DATE_TIME.exec(text.trim().replace(' ', '+')) ?? [];
  const milliseconds = isDay(local) ? Date.parse(local + zone) : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString();
}

/** Date.parse takes 30 February for 2 March. */
function isDay(local: string): boolean {
  const day = local.slice(0, 10);
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** The broker gives no more at once; a client that got fewer than it named would take them for all. */
export const LARGEST_AMOUNT = 1_000;
