import {
  addDays,
  parseDecimal,
  parseMarketDate,
  parseMarketDateTime,
  startOfDay,
  type SettlementStatementSummary,
} from '@ssb/market';

const VARIABLES = ['ENERGY_PAYMENT', 'CAPACITY_PAYMENT', 'ENERGY_CHARGE', 'SERVICES_CHARGE', 'MARKET_FEES'];

/** A WEM statement of a week, with figures that use all 23 digits. */
export function oneStatement(participantCode: string): SettlementStatementSummary {
  const from = parseMarketDate('2026-03-01');
  const days = Array.from({ length: 7 }, (_, number) => addDays(from, number));
  return {
    runId: 1,
    publishedAt: parseMarketDateTime('2026-03-13T09:30:00'),
    marketService: 'WEM',
    designation: 'INITIAL',
    period: 'TW 01 MAR 2026',
    periodFrom: startOfDay(from),
    periodTo: startOfDay(addDays(from, 6)),
    participantCode,
    tradingDays: days.map((day) => ({
      tradingDay: startOfDay(day),
      variables: VARIABLES.map((variable, number) => ({
        variable,
        pOrC: number < 2 ? 'P' : 'C',
        gstApplicable: 'Y',
        value: parseDecimal(`12345678901234${number}.12345678`),
      })),
    })),
  };
}
