import { parseMarketDate, parseMarketDateTime, PrudentialCalculation } from '@ssb/market';
import { buildPrudentialCalculation } from './prudential.js';

it('builds a calculation with consistent figures', () => {
  const book = {
    creditSupport: '800.00',
    creditLimit: '750.00',
    tradingLimit: '650.00',
    prepayment: '10.00',
    invoiceNotPaid: '125.00',
  };
  const position = buildPrudentialCalculation(
    {
      participant: 'WPGENCO',
      calculatedAt: parseMarketDateTime('2026-03-12T10:00:00'),
      tradingDay: parseMarketDate('2026-03-12'),
      tradingMargin: -6_050n,
    },
    book,
  );
  expect(PrudentialCalculation.serialise(position)).toBe(
    '{"participantCode":"WPGENCO","tradingDay":"2026-03-12T00:00:00","prepayment":10.00,"invoiceNotPaid":125.00,' +
      '"cumulativeEstimatedExposure":595.50,"outstandingAmount":710.50,"creditSupport":800.00,"creditLimit":750.00,' +
      '"tradingLimit":650.00,"tradingMargin":-60.50,"calculatedAt":"2026-03-12T10:00:00","isForecast":false}',
  );
});
