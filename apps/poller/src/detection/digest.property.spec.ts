import { POSITION_FIGURES } from '@ssb/events';
import {
  parseDecimal,
  parseMarketDateTime,
  type Decimal,
  type SettlementInvoice,
  type SettlementOutputDetails,
} from '@ssb/market';
import fc from 'fast-check';
import { digestCalculation, digestDays, digestFigures, digestInvoice } from './digest.js';
import { day, decimal, INVOICE, RUN, STATEMENT, time, at } from '../../test/support/settlement.js';
import { detectTimeline } from './timeline/detect-timeline.js';

const variables = ['ENERGY', 'ENERGY', 'FEES', 'SALE'].map((variable, index) => ({
  variable,
  scope: `FACILITY-${index % 2}`,
  granularity: 'I',
  value: ['1', '2', String(index)].map(decimal),
}));
const ESTIMATION: Pick<SettlementOutputDetails, 'tradingDays'> = {
  tradingDays: [
    { tradingDay: time('2026-03-01T00:00:00'), variables },
    { tradingDay: time('2026-03-02T00:00:00'), variables: variables.slice(1) },
  ],
};
const items = [1, 2, 2, 3].map((amount) => ({ code: 'ENERGY', amount: decimal(`${amount}.10`) }));
const LISTS: SettlementInvoice = {
  ...INVOICE,
  paymentSummary: {
    lineItems: items,
    messages: ['b', 'a', 'a'],
    total: decimal('1'),
    payableAmount: decimal('1'),
    settlementRequired: true,
  },
  taxInvoice: { id: 'T', gstApplicable: items, gstFree: items.slice(1) },
};
const CYCLES = ['01', '08', '15'].map((from) => ({
  marketService: RUN.marketService,
  period: RUN.period,
  periodFrom: time(`2026-03-${from}T00:00:00`),
  periodTo: RUN.periodTo,
  runs: [RUN, { ...RUN, designation: 'ADJ1' as const }],
}));

/** Shuffles each list of a document but the series of values. */
function shuffled<T>(value: T, next: () => number, name = ''): T {
  if (Array.isArray(value)) {
    const members = value.map((member) => shuffled(member as unknown, next));
    if (name === 'value') return members as T;
    const keyed = members.map((member) => ({ member, key: next() }));
    return keyed.sort((a, b) => a.key - b.key).map(({ member }) => member) as T;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, shuffled(member as unknown, next, key)]);
  return Object.fromEntries(entries) as T;
}

it('the order of the lists of a document does not count', () => {
  const window = { from: day('2026-03-01'), to: day('2026-03-31') };
  const context = at('2026-03-10T12:00:00');
  const readTimeline = (cycles: typeof CYCLES) => detectTimeline(undefined, { cycles }, [], window, context);
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat()), (stream) => {
      const next = (): number => stream.next().value as number;
      expect(digestInvoice(shuffled(LISTS, next))).toBe(digestInvoice(LISTS));
      expect(digestDays(shuffled(STATEMENT.tradingDays, next))).toBe(digestDays(STATEMENT.tradingDays));
      expect(digestDays(shuffled(ESTIMATION.tradingDays, next))).toBe(digestDays(ESTIMATION.tradingDays));
      expect(readTimeline(shuffled(CYCLES, next))).toEqual(readTimeline(CYCLES));
    }),
    { numRuns: 20 },
  );
});

it('the order of values counts, and so does how often an item is listed', () => {
  const reversed = ESTIMATION.tradingDays.map(({ tradingDay, variables }) => ({
    tradingDay,
    variables: variables.map((variable) => ({ ...variable, value: variable.value?.toReversed() })),
  }));
  expect(digestDays(reversed)).not.toBe(digestDays(ESTIMATION.tradingDays));
  const once = { ...LISTS, taxInvoice: { id: 'T', gstApplicable: items.slice(1), gstFree: items.slice(1) } };
  const same = { ...LISTS, taxInvoice: { id: 'T', gstApplicable: items.slice(1), gstFree: items } };
  expect(digestInvoice(once)).not.toBe(digestInvoice(LISTS));
  expect(digestInvoice(same)).not.toBe(digestInvoice(LISTS));
});

const anyDecimal = fc
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
    Object.fromEntries(POSITION_FIGURES.map((name) => [name, anyDecimal])) as Record<
      (typeof POSITION_FIGURES)[number],
      typeof anyDecimal
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
