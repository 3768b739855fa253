import type { PaymentDueData } from '@ssb/events';
import { toInstant, type SettlementInvoice } from '@ssb/market';
import type { DetectionSettings } from '@ssb/config';
import { detectInvoice } from './detect-invoice.js';
import { detectPaymentReminders, needsFreshInvoice } from './payments.js';
import {
  at,
  dataOf,
  day,
  decimal,
  INVOICE,
  play,
  RUN,
  SETTINGS,
  time,
  type Step,
} from '../../../test/support/settlement.js';
import { formatState, NEW_INVOICE, parseInvoiceState, type InvoiceState } from './states.js';

const FORM = { parse: parseInvoiceState, format: formatState };

const serve =
  (changes: Partial<SettlementInvoice> = {}): Step<InvoiceState> =>
  (state) =>
    detectInvoice(state, RUN, { ...INVOICE, ...changes }, undefined, at('2026-03-13T12:00:00'));
const remind =
  (now: string, settings = SETTINGS): Step<InvoiceState> =>
  (state = NEW_INVOICE) =>
    detectPaymentReminders(state, at(now, settings), toInstant(time(now)));

const summary = (payableAmount: string, settlementRequired = true): Partial<SettlementInvoice> => ({
  paymentSummary: {
    total: decimal(payableAmount),
    payableAmount: decimal(payableAmount),
    settlementRequired,
  },
});
const payments = (
  changes: Partial<DetectionSettings['payments']>,
  holidays: string[] = [],
): DetectionSettings => ({
  ...SETTINGS,
  payments: { ...SETTINGS.payments, ...changes },
  calendar: { ...SETTINGS.calendar, holidays: new Set(holidays) },
});

/** The payment events of the steps. */
const listPayments = (...steps: Step<InvoiceState>[]): PaymentDueData[] =>
  dataOf('settlementbus.payment.due.v1', play(FORM, undefined, ...steps).flat());

const listReminders = (...steps: Step<InvoiceState>[]): string[] =>
  listPayments(...steps).map(({ dueDate, reminder, remindOn }) => `${dueDate}: ${reminder} on ${remindOn}`);

it('announces the invoice, with 23 digits', () => {
  const amount = '12345678901234567890.123';
  expect(listPayments(serve(summary(amount)), remind('2026-03-22T00:00:00'))).toEqual([
    {
      invoiceId: 'INV-1',
      market: 'WEM',
      designation: 'INITIAL',
      periodFrom: '2026-03-01T00:00:00',
      dueDate: '2026-03-27',
      reminder: 5,
      dayKind: 'calendar',
      remindOn: '2026-03-22',
      daysLeft: 5,
      payableAmount: amount,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      direction: 'pay',
      dayTotals: { payable: amount, receivable: '0', net: `-${amount}`, invoices: 1 },
    },
  ]);
});

it('has the totals of all known invoices of its day, which raise no reminder again', () => {
  const of = (id: string, amount: string, dueDate = '2026-03-27'): InvoiceState =>
    serve({ id, dueDate: day(dueDate), ...summary(amount) })(undefined).state;
  const first = of('INV-1', '100.00');
  const remindWith = (state: InvoiceState, ...others: InvoiceState[]) =>
    detectPaymentReminders(state, at('2026-03-22T00:00:00'), toInstant(time('2026-03-22T00:00:00')), () => [
      state,
      ...others,
    ]);
  const { facts, state } = remindWith(first, of('INV-2', '-30.25'), of('INV-3', '9.00', '2026-03-30'));
  expect(facts.map(({ data }) => data)).toMatchObject([
    { invoiceId: 'INV-1', dayTotals: { payable: '100.00', receivable: '30.25', net: '-69.75', invoices: 2 } },
  ]);
  expect(remindWith(state, of('INV-2', '-40.00')).facts).toEqual([]);
});

describe('when a reminder is raised', () => {
  it.each<[string, Step<InvoiceState>[], string[]]>([
    ['the second before its day', [remind('2026-03-21T23:59:59')], []],
    [
      'each on its day',
      [remind('2026-03-22T00:00:00'), remind('2026-03-25T23:59:59'), remind('2026-03-26T00:00:00')],
      ['2026-03-27: 5 on 2026-03-22', '2026-03-27: 1 on 2026-03-26'],
    ],
    [
      'both on the due date, the largest first',
      [remind('2026-03-27T23:59:59')],
      ['2026-03-27: 5 on 2026-03-22', '2026-03-27: 1 on 2026-03-26'],
    ],
    ['after the due date', [remind('2026-03-28T00:00:00')], []],
    [
      'again for another due date',
      [remind('2026-03-22T00:00:00'), serve({ dueDate: day('2026-03-31') }), remind('2026-03-26T00:00:00')],
      ['2026-03-27: 5 on 2026-03-22', '2026-03-31: 5 on 2026-03-26'],
    ],
    [
      'once per due date that moves to and fro',
      [
        remind('2026-03-22T00:00:00'),
        serve({ dueDate: day('2026-03-31') }),
        serve(),
        remind('2026-03-23T00:00:00'),
      ],
      ['2026-03-27: 5 on 2026-03-22'],
    ],
  ])('%s', (_, steps, expected) => {
    expect(listReminders(serve(), ...steps)).toEqual(expected);
  });
});

it('is raised again when the figures change, together with those of passed days', () => {
  const found = listPayments(
    serve(),
    remind('2026-03-26T00:00:00'),
    serve(summary('200.00')),
    remind('2026-03-26T08:00:00'),
  );
  expect(found.map(({ reminder, daysLeft, payableAmount }) => [reminder, daysLeft, payableAmount])).toEqual([
    [5, 1, '127.01'],
    [1, 1, '127.01'],
    [5, 1, '200.00'],
    [1, 1, '200.00'],
  ]);
});

describe('the last response for the invoice', () => {
  // The reminder of 5 days is due from midnight of 22 March.
  it.each<[string, string, string, number, boolean]>([
    ['of the day before', '2026-03-22T00:00:00', '2026-03-21T23:59:59', 0, true],
    ['of its day', '2026-03-22T00:00:30', '2026-03-22T00:00:00', 1, false],
    ['unknown', '2026-03-22T00:00:00', '', 0, true],
    ['missing for 6 hours', '2026-03-22T06:00:00', '2026-03-21T23:59:59', 0, true],
    ['missing for longer', '2026-03-22T06:00:01', '2026-03-21T23:59:59', 1, true],
    ['before another reminder of today', '2026-03-26T05:00:00', '2026-03-25T12:00:00', 1, true],
    ['before the day of any reminder', '2026-03-21T23:59:59', '', 0, false],
    ['after the due date', '2026-03-28T00:00:00', '', 0, false],
  ])('%s', (_, now, lastResponse, raised, isNeeded) => {
    const { state } = serve()(undefined);
    const respondedAt = lastResponse === '' ? undefined : toInstant(time(lastResponse));
    expect(detectPaymentReminders(state, at(now), respondedAt).facts).toHaveLength(raised);
    expect(needsFreshInvoice(state, at(now), respondedAt)).toBe(isNeeded);
  });

  it('is not needed for a reminder that was raised', () => {
    const { state } = serve()(undefined);
    const reminded = remind('2026-03-22T00:00:00')(state).state;
    expect(needsFreshInvoice(reminded, at('2026-03-22T00:00:00'), undefined)).toBe(false);
    expect(needsFreshInvoice(reminded, at('2026-03-26T00:00:00'), undefined)).toBe(true);
  });
});

describe('an invoice without a reminder', () => {
  const DUE = remind('2026-03-27T00:00:00');

  it.each<[string, Step<InvoiceState>[]]>([
    ['no settlement', [serve(summary('100.00', false))]],
    ['nothing payable', [serve(summary('0.00'))]],
    ['no payment summary', [serve({ paymentSummary: undefined })]],
    ['reversed under its own id', [serve(), serve({ reversedId: 'REV-1' })]],
    [
      'reversed, and changed again',
      [serve(), serve({ reversedId: 'REV-1' }), serve({ reversedId: 'REV-1', title: 'x' })],
    ],
    ['no invoice', []],
  ])('%s', (_, steps) => {
    expect(listReminders(...steps, DUE)).toEqual([]);
    const state =
      steps.reduce<InvoiceState | undefined>((before, step) => step(before).state, undefined) ?? NEW_INVOICE;
    expect(DUE(state).state).toBe(state);
  });

  it('a replaced invoice: only the new one', () => {
    const found = listPayments(serve(), serve({ id: 'INV-2', reversedId: 'REV-1' }), DUE);
    expect(found.map(({ invoiceId }) => invoiceId)).toEqual(['INV-2', 'INV-2']);
  });
});

it.each([
  ['100.00', 'pay', 'pay'],
  ['-100.00', 'pay', 'receive'],
  ['100.00', 'receive', 'receive'],
  ['-100.00', 'receive', 'pay'],
] as const)('%s where a positive amount means %s: %s', (amount, positiveAmount, expected) => {
  const [fact] = listPayments(
    serve(summary(amount)),
    remind('2026-03-22T00:00:00', payments({ positiveAmount })),
  );
  expect(fact).toMatchObject({ payableAmount: amount, direction: expected });
});

describe('business days', () => {
  // 2026-03-27 is a Friday.
  it.each<[number, string[], string]>([
    [0, [], '2026-03-27'],
    [1, [], '2026-03-26'],
    [5, [], '2026-03-20'],
    [5, ['2026-03-25'], '2026-03-19'],
    [5, ['2026-03-21', '2026-03-22'], '2026-03-20'],
    [1, ['2026-03-26', '2026-03-25', '2026-03-24', '2026-03-23'], '2026-03-20'],
  ])('%i before, with the holidays %j, is %s', (reminder, holidays, expected) => {
    const settings = payments({ remindDaysBefore: [reminder], dayKind: 'business' }, holidays);
    const found = listPayments(serve(), remind('2026-03-27T00:00:00', settings));
    expect(found).toMatchObject([{ reminder, dayKind: 'business', remindOn: expected }]);
  });

  it('ends when there is no business day', () => {
    const settings = {
      ...payments({ dayKind: 'business' }),
      calendar: { businessDays: [], holidays: new Set<string>() },
    };
    expect(listPayments(serve(), remind('2026-03-13T00:00:00', settings))).toHaveLength(2);
  });
});
