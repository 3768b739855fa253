import type { Fact } from '@ssb/events';
import { dateOf, toMarketDate, type MarketDate, type MarketDateTime } from '@ssb/market';
import type { DetectionSettings } from '@ssb/config';
import type { Detected, DetectionContext } from '../detection.js';
import { addBusinessDays, countBusinessDays } from './business-days.js';
import { nothingNew } from './publication.js';
import type { RunNames } from './runs.js';
import type { DisagreementWindow, StatementState } from './states.js';

/** Windows of replaced versions that are kept, more than an operator replaces a statement within one of them. */
export const MAX_WINDOWS = 20;
/** A later publication would have a window beyond the last year that a date can have. */
const LAST_PUBLICATION = '9900-01-01';

type Windows = readonly DisagreementWindow[];

/** The last day to dispute a statement; undefined without settings for its market and designation. */
export function findDisagreeUntil(
  { marketService, designation }: Pick<RunNames, 'marketService' | 'designation'>,
  publishedAt: MarketDateTime,
  { disagreement, calendar }: DetectionSettings,
): MarketDate | undefined {
  const settings = disagreement[marketService]?.[designation];
  if (settings === undefined || publishedAt > LAST_PUBLICATION) return undefined;
  return addBusinessDays(dateOf(publishedAt), settings.businessDays, calendar);
}

/**
 * Keeps the window of a version that was replaced until its last day. A window belongs to a publication, so versions with the same
 * `publishedAt` have one.
 *
 * @param detected what the response for the statement changed
 */
export function trackWindows(
  before: StatementState,
  detected: Detected<StatementState>,
  run: RunNames,
  context: DetectionContext,
): Detected<StatementState> {
  const { leftOut = [] } = detected;
  const isReplaced = before.current?.figures.publishedAt !== detected.state.current?.figures.publishedAt;
  const state = isReplaced ? keepWindows(detected.state, listWindows(before), run, context) : detected.state;
  const count = countLeftOut(state, context);
  if (count === 0) return { ...detected, state };
  return {
    ...detected,
    state,
    leftOut: [...leftOut, { what: 'windows to dispute a statement', count, kept: MAX_WINDOWS }],
  };
}

/**
 * Detects statement.disagreement-due and statement.disagreement-lapsed. Of several reminders whose days have come, the last one is raised. The
 * settings of now decide, whatever those at the publication were.
 */
export function detectDisagreement(
  state: StatementState,
  run: RunNames,
  context: DetectionContext,
): Detected<StatementState> {
  const decided = listWindows(state).map((window) => decideWindow(window, run, context));
  const facts = decided.flatMap(({ fact }) => (fact === undefined ? [] : [fact]));
  if (facts.length === 0) return nothingNew(state);
  const windows = decided.map(({ window }) => window);
  return { facts, state: keepWindows(state, windows, run, context), unreadable: [] };
}

/** Whether the state is needed for a window that has not ended. */
export function hasOpenWindow(state: StatementState, run: RunNames, context: DetectionContext): boolean {
  return listWindows(state).some((window) => isOpen(window, run, context));
}

/** The windows of replaced versions, then that of the present one. */
function listWindows({ windows = [], current }: StatementState): Windows {
  if (current === undefined) return windows;
  const { runId, figures } = current;
  const { publishedAt } = figures;
  const present = windows.find((window) => window.publishedAt === publishedAt);
  const others = windows.filter((window) => window !== present);
  return [...others, { ...present, runId, publishedAt }];
}

function isOpen(window: DisagreementWindow, run: RunNames, { settings, now }: DetectionContext): boolean {
  if (window.reminded !== undefined) return true;
  const until = findDisagreeUntil(run, window.publishedAt, settings);
  return until !== undefined && toMarketDate(now) <= until;
}

/** That of the present version follows from the version, so it is kept only with its reminder. */
function keepWindows(
  { windowsLeftOut, ...state }: StatementState,
  windows: Windows,
  run: RunNames,
  context: DetectionContext,
): StatementState {
  const presentAt = state.current?.figures.publishedAt;
  const open = windows.filter(
    (window) =>
      isOpen(window, run, context) && (window.reminded !== undefined || window.publishedAt !== presentAt),
  );
  const kept = [...open];
  const left: DisagreementWindow[] = [];
  // A window with a reminder also announces its end.
  while (kept.length > MAX_WINDOWS) {
    const index = kept.findIndex(({ reminded }) => reminded === undefined);
    left.push(...kept.splice(Math.max(index, 0), 1));
  }
  const missing = countLeftOut({ ...state, windowsLeftOut }, context);
  const days = left.flatMap(({ publishedAt }) => findDisagreeUntil(run, publishedAt, context.settings) ?? []);
  const until = [...days, ...(missing > 0 && windowsLeftOut ? [windowsLeftOut.until] : [])].sort().at(-1);
  return {
    ...state,
    windows: kept.length > 0 ? kept : undefined,
    ...(until !== undefined && { windowsLeftOut: { count: missing + left.length, until } }),
  };
}

function countLeftOut({ windowsLeftOut }: StatementState, { now }: DetectionContext): number {
  return windowsLeftOut !== undefined && toMarketDate(now) <= windowsLeftOut.until ? windowsLeftOut.count : 0;
}

interface Decision {
  readonly fact?: Fact;
  readonly window: DisagreementWindow;
}

function decideWindow(
  window: DisagreementWindow,
  { marketService, designation, periodFrom }: RunNames,
  { settings, now }: DetectionContext,
): Decision {
  const { runId, publishedAt, reminded } = window;
  const names = { marketService, designation, periodFrom, runId, publishedAt };
  const today = toMarketDate(now);
  const configured = findDisagreeUntil(names, publishedAt, settings);
  // Without settings, a window that was reminded of ends on the day that was announced.
  const disagreeUntil = configured ?? reminded?.disagreeUntil;
  if (disagreeUntil === undefined) return { window };
  if (disagreeUntil < today) {
    if (reminded === undefined) return { window };
    const fact: Fact = {
      type: 'settlementbus.statement.disagreement-lapsed.v1',
      data: { ...names, disagreeUntil },
    };
    return { fact, window: { runId, publishedAt } };
  }
  if (configured === undefined) return { window };
  const { calendar, disagreement } = settings;
  const dayOf = (days: number): MarketDate => addBusinessDays(disagreeUntil, -days, calendar);
  const reminder = disagreement[marketService]?.[designation]?.remind.findLast(
    (days) => dayOf(days) <= today,
  );
  if (reminder === undefined) return { window };
  const isKnown = reminded?.disagreeUntil === disagreeUntil && reminded.reminder <= reminder;
  if (isKnown) return { window };
  const fact: Fact = {
    type: 'settlementbus.statement.disagreement-due.v1',
    data: {
      ...names,
      disagreeUntil,
      reminder,
      remindOn: dayOf(reminder),
      businessDaysLeft: countBusinessDays(today, disagreeUntil, calendar),
    },
  };
  return { fact, window: { ...window, reminded: { disagreeUntil, reminder } } };
}
