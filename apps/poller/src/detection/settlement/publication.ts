import type { Fact } from '@ssb/events';
import { dateOf, toMarketDateTime, type MarketDate } from '@ssb/market';
import type { Detected, DetectionContext, Unreadable } from '../detection.js';
import { selectNewFacts } from './raised-facts.js';
import { endOfDay, type SettlementRun } from './runs.js';

/** What the states of a statement and of an invoice have in common. */
interface PublicationState {
  readonly watched?: true | undefined;
  readonly overdue?: MarketDate | undefined;
  readonly current?: object | undefined;
  readonly raised: readonly string[];
}

/** Creates the fact of a publication that is overdue since a market time. */
export type OverdueFact = (overdueSince: string) => Fact;

/** The response is a 404. Ignored when the publication was there before. */
export function detectAbsence<State extends PublicationState>(
  state: State,
  dueDay: MarketDate,
  createOverdue: OverdueFact,
  context: DetectionContext,
): Detected<State> {
  if (state.current !== undefined) return nothingNew(state);
  const watched: State = state.watched ? state : { ...state, watched: true };
  const since = new Date(endOfDay(dueDay).getTime() + context.settings.settlement.overdueGraceMs);
  if (context.now < since) return nothingNew(watched);
  const { facts, raised } = selectNewFacts([createOverdue(toMarketDateTime(since))], state.raised, context);
  if (facts.length === 0) return nothingNew(watched);
  return { facts, state: { ...watched, overdue: dueDay, raised }, unreadable: [] };
}

/** No sensible publication is later; the schema of the event has no greater value. */
const MAX_LATE_SECONDS = 2_147_483_647;

/** A publication that is seen for the first time. */
interface FirstPublication {
  readonly dueDay: MarketDate;
  /** The day of the latest overdue event. */
  readonly overdue: MarketDate | undefined;
  /** By the operator. */
  readonly publishedAt: Date;
  readonly seenAt: Date;
  readonly isRestated: boolean;
}

/** After an overdue event a publication is late against the day of that event. Otherwise the operator's time decides, unless it is restated. */
export function lateness({ dueDay, overdue, publishedAt, seenAt, isRestated }: FirstPublication): {
  readonly late?: { readonly dueDate: MarketDate; readonly seconds: number };
} {
  const secondsAfter = (day: MarketDate, time: number): number =>
    Math.min(Math.floor((time - endOfDay(day).getTime()) / 1000), MAX_LATE_SECONDS);
  if (overdue !== undefined) {
    const seconds = secondsAfter(overdue, Math.max(publishedAt.getTime(), seenAt.getTime()));
    return { late: { dueDate: overdue, seconds: Math.max(seconds, 1) } };
  }
  const seconds = secondsAfter(dueDay, publishedAt.getTime());
  return !isRestated && seconds >= 1 ? { late: { dueDate: dueDay, seconds } } : {};
}

export function nothingNew<State>(state: State): Detected<State> {
  return { facts: [], state, unreadable: [] };
}

/** The response is not used, and the state stays as it is. */
export function unreadable<State>(state: State, path: string, reason: string): Detected<State> {
  return { facts: [], state, unreadable: [{ path, reason }] };
}

interface StatementNames {
  readonly participantCode: string;
  readonly marketService: string;
  readonly designation: string;
  readonly periodFrom: SettlementRun['periodFrom'];
}

/** Refuses a statement of another participant or run: its figures would get the wrong name. */
export function findForeignName(
  response: StatementNames,
  run: SettlementRun,
  participant: string,
): Unreadable | undefined {
  if (response.participantCode !== participant)
    return { path: 'participantCode', reason: 'other-participant' };
  const isOther = {
    marketService: response.marketService !== run.marketService,
    designation: response.designation !== run.designation,
    periodFrom: dateOf(response.periodFrom) !== dateOf(run.periodFrom),
  };
  const [path] = Object.entries(isOther).find(([, other]) => other) ?? [];
  return path === undefined ? undefined : { path, reason: 'other-statement' };
}
