import { toMilliseconds } from '../../domain/nanoseconds.js';

/** How many messages one read requests. */
export interface PageLimits {
  readonly initialAmount: number;
  readonly maxAmount: number;
}

/** One read of a channel. */
export interface PageRead {
  /** Epoch milliseconds, inclusive. */
  readonly fromMs: number;
  readonly amount: number;
  /** Set for a read that only finds out whether messages follow; then reading continues here. */
  readonly resumeMs?: number;
  /** Messages are known to follow, from this time on. */
  readonly followedFromMs?: number;
  /** The same read returned nothing new. A gateway that keeps an offset may return something new now. */
  readonly isRepeated?: boolean;
  /** The first time of a smaller page from the same time. A larger page that begins before it has the newest messages, not the oldest. */
  readonly comparedNanos?: bigint;
  /** Whether a full page has the oldest messages; undefined before it is known. */
  readonly isOldestFirst?: boolean;
}

/** What a read returned. */
export interface Page {
  /** The amount that the gateway accepted. */
  readonly amount: number;
  /** Messages, malformed ones included. */
  readonly count: number;
  /** The gateway says that it left out further messages. */
  readonly hasMore: boolean;
  /** Messages that no earlier page of this catch-up contained. */
  readonly newCount: number;
  /** The smallest time, nanoseconds; undefined when no message has one. */
  readonly firstNanos: bigint | undefined;
  /** The largest time that is not in the future. Where all are, the largest one. */
  readonly lastNanos: bigint | undefined;
  /** The largest time of all. */
  readonly greatestNanos: bigint | undefined;
  /** All times are in the future. */
  readonly isAhead: boolean;
  /** All are malformed. Beside other messages their times do not count. */
  readonly isMalformed: boolean;
}

export type NextStep =
  | { readonly kind: 'read'; readonly read: PageRead }
  /** The gateway does not return all messages of `gapMs`. Reading continues after that millisecond. */
  | { readonly kind: 'gap'; readonly gapMs: number; readonly read: PageRead }
  /** The channel is read up to its end. */
  | { readonly kind: 'end' }
  /** Further messages exist, and no request returns them. */
  | { readonly kind: 'stuck' };

/** A gateway that reads times as doubles rounds them by up to 128 ns, perhaps into another millisecond. */
const MAX_ROUNDING_NANOS = 1_000n;

/**
 * Decides how to continue after a page. A gateway may return fewer messages than requested although more follow, and may keep an offset of
 * its own, so a short page is the end only if nothing follows it. A full page is never the end.
 */
export function nextPage(read: PageRead, page: Page, limits: PageLimits): NextStep {
  if (page.count === 0) return { kind: 'end' };
  const isFull = page.hasMore || page.count >= page.amount;
  if (read.resumeMs !== undefined) return afterProbe(read, page, isFull, limits);
  return isFull ? afterFullPage(read, page, limits) : afterShortPage(read, page, limits);
}

function afterProbe(read: PageRead, page: Page, isFull: boolean, limits: PageLimits): NextStep {
  const { resumeMs = 0, fromMs, ...rest } = read;
  const { lastNanos, isAhead, newCount } = page;
  // A message in the future follows every other one, and a gateway may ignore the time.
  const isLater =
    !isAhead && lastNanos !== undefined && toMilliseconds(lastNanos + MAX_ROUNDING_NANOS) >= fromMs;
  if (isLater && page.isMalformed)
    return { kind: 'read', read: { ...read, fromMs: toMilliseconds(lastNanos + MAX_ROUNDING_NANOS) + 1 } };
  if (newCount > 0 || isLater)
    return { kind: 'read', read: { ...rest, fromMs: resumeMs, followedFromMs: fromMs } };
  return isFull ? grow(read, page, limits) : { kind: 'end' };
}

function afterFullPage(read: PageRead, page: Page, limits: PageLimits): NextStep {
  const { firstNanos, lastNanos, newCount } = page;
  if (firstNanos === undefined || lastNanos === undefined) return grow(read, page, limits);
  const { comparedNanos } = read;
  const rest = restart(read);
  const isNewestFirst =
    read.isOldestFirst === false || (comparedNanos !== undefined && firstNanos < comparedNanos);
  if (isNewestFirst) return grow({ ...rest, isOldestFirst: false }, page, limits);
  if (comparedNanos === undefined && read.isOldestFirst === undefined && page.amount < limits.maxAmount)
    return grow({ ...rest, comparedNanos: firstNanos }, page, limits);
  const next: PageRead = { ...rest, amount: page.amount, isOldestFirst: true };
  const fromMs = toMilliseconds(lastNanos - MAX_ROUNDING_NANOS);
  if (newCount > 0 && fromMs > read.fromMs) return { kind: 'read', read: { ...next, fromMs } };
  if (page.amount < limits.maxAmount) return grow(next, page, limits);
  if (newCount > 0) return { kind: 'read', read: next };
  // A page that begins earlier does not obey the time.
  if (toMilliseconds(firstNanos + MAX_ROUNDING_NANOS) < read.fromMs) return { kind: 'stuck' };
  return gapAt(lastNanos, next);
}

function afterShortPage(read: PageRead, page: Page, { initialAmount }: PageLimits): NextStep {
  const { lastNanos, greatestNanos, newCount } = page;
  if (lastNanos === undefined || greatestNanos === undefined) return { kind: 'end' };
  const { followedFromMs, isRepeated } = read;
  const next: PageRead = { ...restart(read), amount: page.amount };
  const fromMs = toMilliseconds(lastNanos - MAX_ROUNDING_NANOS);
  const afterMs = toMilliseconds(lastNanos + MAX_ROUNDING_NANOS) + 1;
  const resumeMs = Math.max(fromMs, read.fromMs);
  if (followedFromMs !== undefined && toMilliseconds(greatestNanos + MAX_ROUNDING_NANOS) < followedFromMs) {
    const again: PageRead = { ...next, fromMs: resumeMs, followedFromMs };
    if (newCount > 0 || resumeMs > read.fromMs) return { kind: 'read', read: again };
    if (isRepeated !== true) return { kind: 'read', read: { ...again, isRepeated: true } };
    if (afterMs > read.fromMs) return gapAt(lastNanos, next);
  }
  // A gateway that never returns more may have left out others of the last millisecond.
  if (page.count >= initialAmount && resumeMs > read.fromMs)
    return { kind: 'read', read: { ...next, fromMs: resumeMs } };
  return { kind: 'read', read: { ...next, fromMs: Math.max(afterMs, read.fromMs), resumeMs } };
}

/** The same read with what is known of the gateway, and without what is known of the messages that follow. */
function restart({ fromMs, amount, isOldestFirst }: PageRead): PageRead {
  return { fromMs, amount, ...(isOldestFirst !== undefined && { isOldestFirst }) };
}

function grow(read: PageRead, { amount }: Page, { maxAmount }: PageLimits): NextStep {
  if (amount >= maxAmount) return { kind: 'stuck' };
  return { kind: 'read', read: { ...read, amount: Math.min(amount * 2, maxAmount) } };
}

function gapAt(nanos: bigint, read: PageRead): NextStep {
  const fromMs = toMilliseconds(nanos + MAX_ROUNDING_NANOS) + 1;
  return { kind: 'gap', gapMs: toMilliseconds(nanos), read: { ...read, fromMs } };
}
