import { parseDecimal, parseMarketDateTime } from '@ssb/market';
import type { FutureCalculation } from '../detection/position/future-calculations.js';
import { FutureCalculationFaults } from './future-calculation-faults.js';

const calculation = (minute: number, margin: string, isForecast = false): FutureCalculation => ({
  calculatedAt: parseMarketDateTime(`2026-03-05T10:0${minute}:00`),
  tradingDay: parseMarketDateTime('2026-03-05T00:00:00'),
  isForecast,
  tradingMargin: parseDecimal(margin),
});

it('actual calculations have their faults before forecasts, and the lowest margin first', () => {
  const documents: (string | undefined)[] = [];
  const reporter = {
    raise: ({ document }: { document?: string | undefined }) => void documents.push(document),
    clear: () => undefined,
    forget: () => undefined,
  };
  const present = [
    calculation(1, '-9', true),
    calculation(2, '5'),
    calculation(3, '-10.5'),
    calculation(4, '-2'),
  ];
  new FutureCalculationFaults('PART1', reporter).report([], present);
  expect(documents.map((document) => document?.split(' ').slice(0, 2).join(' '))).toEqual([
    'calculation 2026-03-05T10:03:00',
    'calculation 2026-03-05T10:04:00',
    'calculation 2026-03-05T10:02:00',
    'forecast 2026-03-05T10:01:00',
  ]);
});
