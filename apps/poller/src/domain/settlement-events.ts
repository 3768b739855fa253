import { statementPublished, type DetectedEvent, type Detection } from '@ssb/events';
import { dateOf, sumDecimals, type SettlementStatementSummary } from '@ssb/market';
import type { Ask } from './settlement-fetches.js';

export type StatementVerdict =
  | { readonly ok: true; readonly event: DetectedEvent; readonly version: string }
  | { readonly ok: false; readonly reason: 'other-participant' | 'other-statement' };

/**
 * Turns an answered statement into its event. A statement of another participant or another run than the one asked for is refused:
 * published, it would tell a participant's figures under the wrong name.
 */
export function statementEvent(
  participant: string,
  ask: Ask,
  statement: SettlementStatementSummary,
  detection: Detection,
): StatementVerdict {
  if (statement.participantCode !== participant) return { ok: false, reason: 'other-participant' };
  if (!answers(statement, ask)) return { ok: false, reason: 'other-statement' };
  const variables = statement.tradingDays.flatMap((day) =>
    day.variables.map((variable) => ({ tradingDay: day.tradingDay, ...variable })),
  );
  const sumOf = (pOrC: 'P' | 'C') =>
    sumDecimals(variables.filter((each) => each.pOrC === pOrC).map(({ value }) => value));
  const { marketService, designation, period, periodFrom, periodTo, runId, publishedAt } = statement;
  const event = statementPublished(
    {
      participant,
      marketService,
      designation,
      period,
      periodFrom,
      periodTo,
      runId,
      publishedAt,
      tradingDays: statement.tradingDays.length,
      totals: { payment: sumOf('P'), charge: sumOf('C') },
      variables,
    },
    detection,
  );
  return { ok: true, event, version: String(runId) };
}

function answers(statement: SettlementStatementSummary, ask: Ask): boolean {
  return (
    statement.marketService === ask.marketService &&
    statement.designation === ask.designation &&
    dateOf(statement.periodFrom) === dateOf(ask.periodFrom)
  );
}
