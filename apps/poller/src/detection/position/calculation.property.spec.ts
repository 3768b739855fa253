import { POSITION_FIGURES } from '@ssb/events';
import { parseDecimal, parseMarketDateTime, type Decimal } from '@ssb/market';
import fc from 'fast-check';
import { digestFigures } from '../digest.js';
import { digestCalculation } from './calculation.js';

const decimal = fc
  .tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 24n }),
    fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 9 }),
  )
  .map(([negative, whole, fraction]): Decimal =>
    parseDecimal(`${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`),
  );

it('the digest of a calculation is that of its RFC 8785 form', () => {
  const figures = fc.record(
    Object.fromEntries(POSITION_FIGURES.map((name) => [name, decimal])) as Record<
      (typeof POSITION_FIGURES)[number],
      typeof decimal
    >,
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(figures, fc.boolean(), (amounts, isForecast) => {
      const tradingDay = parseMarketDateTime('2026-03-02T00:00:00');
      const calculatedAt = parseMarketDateTime('2026-03-02T09:00:00.120');
      const rest = { calculatedAt, isForecast, ...amounts };
      expect(digestCalculation({ tradingDay, ...rest })).toBe(
        digestFigures({ tradingDay: `${tradingDay}.000`, ...rest }),
      );
    }),
  );
});
