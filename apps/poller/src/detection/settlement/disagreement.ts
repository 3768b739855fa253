import { MAX_DISAGREEMENT_DAYS, type Fact } from '@ssb/events';
import { addDays, dateOf, toMarketDate, type MarketDate, type MarketDateTime } from '@ssb/market';
import { addBusinessDays, countBusinessDays, findDisagreeUntil, type DetectionSettings } from '@ssb/config';
import type { Detected, DetectionContext } from '../detection.js';
import { nothingNew } from './publication.js';
import { raiseNumbered } from './raised-facts.js';
import type { RunNames } from './runs.js';
import type { DisagreementWindow, StatementState, StatementVersion } from './states.js';

/** Windows of replaced versions that are kept, more than an operator replaces a statement within one of them. */
export const MAX_WINDOWS = 20;

type Window = DisagreementWindow & Pick<StatementVersion['figures'], 'digest'>;
type Windows = readonly Window[];

/** The last day to dispute a statement; undefined without settings for it, or when its market is not one of the participant. */
export function lastDayOf(
  { marketService, designation }: Pick<RunNames, 'marketService' | 'designation'>,
  publishedAt: MarketDateTime,
  settings: DetectionSettings,
): MarketDate | undefined {
  if (!settings.settlement.markets.includes(marketService)) return undefined;
  return findDisagreeUntil({ marketService, designation, publishedOn: dateOf(publishedAt) }, settings);
}

/**
 * Keeps the window of a version that was replaced until its last day. Versions with the same `publishedAt` and figures have one
 * window.
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
  const [known, current] = [before.current?.figures, detected.state.current?.figures];
  const isReplaced = known && current && !isSameWindow(known, current);
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
  return raiseNumbered(facts, keepWindows(state, windows, run, context), context);
}

/** Whether the state is needed for a window that has not ended. */
export function hasOpenWindow(state: StatementState, run: RunNames, context: DetectionContext): boolean {
  return listWindows(state).some((window) => isOpen(window, run, context));
}

/** The windows of replaced versions, then that of the present one. */
function listWindows({ windows = [], current }: StatementState): Windows {
  if (current === undefined) return [];
  const { publishedAt, digest } = current.figures;
  const known = windows.map((window) => ({ ...window, digest: window.digest ?? digest }));
  const present = known.find((window) => isSameWindow(window, current.figures));
  const others = known.filter((window) => window !== present);
  return [...others, { ...present, runId: current.runId, publishedAt, digest }];
}

type WindowName = Pick<Window, 'publishedAt' | 'digest'>;

function isSameWindow(one: WindowName, other: WindowName): boolean {
  return one.publishedAt === other.publishedAt && one.digest === other.digest;
}

function isOpen(window: Window, run: RunNames, { settings, now }: DetectionContext): boolean {
  if (window.reminded !== undefined) return true;
  const until = lastDayOf(run, window.publishedAt, settings);
  return until !== undefined && toMarketDate(now) <= until;
}

/** Later settings can give a window that is not open a last day again, so it is kept for so many calendar days. */
function mayOpen({ publishedAt }: Window, { now }: DetectionContext): boolean {
  return dateOf(publishedAt) >= addDays(toMarketDate(now), -MAX_DISAGREEMENT_DAYS);
}

/** That of the present version follows from the version, so it is kept only with its reminder. */
function keepWindows(
  { windowsLeftOut, ...state }: StatementState,
  windows: Windows,
  run: RunNames,
  context: DetectionContext,
): StatementState {
  const present = state.current?.figures;
  const isWindowOpen = (window: Window): boolean => isOpen(window, run, context);
  const kept = windows.filter(
    (window) =>
      (isWindowOpen(window) || mayOpen(window, context)) &&
      (window.reminded !== undefined || present === undefined || !isSameWindow(window, present)),
  );
  const left: Window[] = [];
  // One that is not open is left out first. A window with a reminder also announces its end.
  while (kept.length > MAX_WINDOWS) {
    const closed = kept.findIndex((window) => !isWindowOpen(window));
    const index = closed >= 0 ? closed : kept.findIndex(({ reminded }) => reminded === undefined);
    const [window] = kept.splice(Math.max(index, 0), 1);
    if (window !== undefined && closed < 0) left.push(window);
  }
  const missing = countLeftOut({ ...state, windowsLeftOut }, context);
  const days = left.flatMap(({ publishedAt }) => lastDayOf(run, publishedAt, context.settings) ?? []);
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
  readonly window: Window;
}

function decideWindow(
  window: Window,
  { marketService, designation, periodFrom }: RunNames,
  { settings, now }: DetectionContext,
): Decision {
  const { runId, publishedAt, digest, reminded } = window;
  const names = { marketService, designation, periodFrom, runId, publishedAt, digest };
  const today = toMarketDate(now);
  const configured = lastDayOf(names, publishedAt, settings);
  // Without settings, a window that was reminded of ends on the day that was announced.
  const disagreeUntil = configured ?? reminded?.disagreeUntil;
  if (disagreeUntil === undefined) return { window };
  if (disagreeUntil < today) {
    if (reminded === undefined) return { window };
    const fact: Fact = {
      type: 'settlementbus.statement.disagreement-lapsed.v1',
      data: { ...names, disagreeUntil },
    };
    return { fact, window: { runId, publishedAt, digest } };
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
