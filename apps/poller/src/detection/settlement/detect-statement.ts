import type { Fact, StatementPublishedData, StatementRevisedData } from '@ssb/events';
import {
  dateOf,
  listVariables,
  subtractDecimals,
  sumDecimals,
  toInstant,
  type Decimal,
  type SettlementStatementSummary,
} from '@ssb/market';
import type { Detected, DetectionContext } from '../detection.js';
import { digestDays, isUnicode, NOT_UNICODE } from '../digest.js';
import { lastDayOf, trackWindows } from './disagreement.js';
import { detectAbsence, findForeignName, lateness, unreadable } from './publication.js';
import { raiseChanges, settleDocument } from './raised-facts.js';
import { runProperties, type SettlementRun } from './runs.js';
import { NEW_STATEMENT, type StatementState, type StatementVersion } from './states.js';

/**
 * Detects statement.published, statement.revised and statement.overdue.
 *
 * @param response undefined for a 404
 */
export function detectStatement(
  previous: StatementState | undefined,
  run: SettlementRun,
  response: SettlementStatementSummary | undefined,
  context: DetectionContext,
): Detected<StatementState> {
  const state = previous ?? NEW_STATEMENT;
  if (response === undefined) return detectAbsentStatement(state, run, context);
  const foreign = findForeignName(response, run, context.participant);
  if (foreign !== undefined) return unreadable(state, foreign.path, foreign.reason);
  const digest = digestDays(response.tradingDays);
  if (digest === undefined) return unreadable(state, '', NOT_UNICODE);
  if (!isUnicode(response.period)) return unreadable(state, 'period', NOT_UNICODE);
  const { publishedAt } = response;
  const disagreeUntil = lastDayOf(run, publishedAt, context.settings);
  const data = { ...describeStatement(response, digest), ...(disagreeUntil && { disagreeUntil }) };
  const known = state.current;
  const { runId, totals } = data;
  const current = { runId, figures: { publishedAt, totals, digest } };
  if (known !== undefined && isSameVersion(known, current))
    return trackWindows(state, settleDocument(state, context), run, context);
  const fact: Fact =
    known === undefined
      ? {
          type: 'settlementbus.statement.published.v1',
          data: { ...data, ...howPublished(state, run, response, context) },
        }
      : { type: 'settlementbus.statement.revised.v1', data: { ...data, ...describeRevision(known, totals) } };
  return trackWindows(state, raiseChanges([fact], state, current, context), run, context);
}

function detectAbsentStatement(
  state: StatementState,
  run: SettlementRun,
  context: DetectionContext,
): Detected<StatementState> {
  const statementDate = dateOf(run.statementDate);
  const createOverdue = (overdueSince: string): Fact => ({
    type: 'settlementbus.statement.overdue.v1',
    data: { ...runProperties(run), statementDate, overdueSince },
  });
  return detectAbsence(state, statementDate, createOverdue, context);
}

function isSameVersion(known: StatementVersion, current: StatementVersion): boolean {
  const [before, now] = [known.figures, current.figures];
  return (
    known.runId === current.runId && before.publishedAt === now.publishedAt && before.digest === now.digest
  );
}

type Totals = { readonly payment: Decimal; readonly charge: Decimal };

function describeStatement(statement: SettlementStatementSummary, digest: string) {
  const { marketService, designation, period, periodFrom, periodTo, runId, publishedAt, tradingDays } =
    statement;
  const variables = listVariables(tradingDays);
  const sumOf = (pOrC: 'P' | 'C') =>
    sumDecimals(variables.filter((each) => each.pOrC === pOrC).map(({ value }) => value));
  const totals: Totals = { payment: sumOf('P'), charge: sumOf('C') };
  return {
    marketService,
    designation,
    period,
    periodFrom,
    periodTo,
    runId,
    publishedAt,
    tradingDays: tradingDays.length,
    totals,
    digest,
    variables,
  };
}

function howPublished(
  state: StatementState,
  run: SettlementRun,
  { publishedAt }: SettlementStatementSummary,
  { now: seenAt }: DetectionContext,
): Pick<StatementPublishedData, 'late' | 'restated'> {
  const isRestated = !state.watched;
  const dueDay = dateOf(run.statementDate);
  return {
    ...lateness({
      dueDay,
      overdue: state.overdue,
      publishedAt: toInstant(publishedAt),
      seenAt,
      isRestated,
    }),
    ...(isRestated && { restated: true as const }),
  };
}

function describeRevision(
  { runId, figures }: StatementVersion,
  totals: Totals,
): Pick<StatementRevisedData, 'previous' | 'difference'> {
  const payment = subtractDecimals(totals.payment, figures.totals.payment);
  const charge = subtractDecimals(totals.charge, figures.totals.charge);
  return { previous: { runId, ...figures }, difference: { payment, charge } };
}
