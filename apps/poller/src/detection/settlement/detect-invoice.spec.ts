import { MAX_REPETITIONS, type Fact, type InvoiceReversedData } from '@ssb/events';
import type { SettlementInvoice } from '@ssb/market';
import { detectInvoice } from './detect-invoice.js';
import type { SettlementRun } from './runs.js';
import {
  afterMinutes,
  at,
  day,
  decimal,
  idsOf,
  INVOICE,
  play,
  RUN,
  time,
  typesOf,
  type Step,
} from '../../../test/support/settlement.js';
import { formatState, parseInvoiceState, type InvoiceState } from './states.js';

const FORM = { parse: parseInvoiceState, format: formatState };
const DIGEST = expect.stringMatching(/^[0-9a-f]{64}$/) as string;

const serve =
  (response: SettlementInvoice | undefined, now = '2026-03-14T12:00:00', run = RUN): Step<InvoiceState> =>
  (state) =>
    detectInvoice(state, run, response, undefined, at(now));
/** Before the invoice is due. */
const ABSENT = serve(undefined, '2026-03-10T12:00:00');

const playAll = (...steps: Step<InvoiceState>[]): Fact[] => play(FORM, undefined, ...steps).flat();
const invoice = (changes: Partial<SettlementInvoice>): SettlementInvoice => ({ ...INVOICE, ...changes });
const payable = (amount: string): SettlementInvoice =>
  invoice({
    paymentSummary: { total: decimal(amount), payableAmount: decimal(amount), settlementRequired: true },
  });

/** Each version is served twice, an hour apart. */
const serveInTurn = (count: number, ...versions: SettlementInvoice[]): Step<InvoiceState>[] =>
  Array.from({ length: count }, (_, index) => versions[index % versions.length]).flatMap((version, index) => [
    serve(version, afterMinutes(120 * index)),
    serve(version, afterMinutes(120 * index + 60)),
  ]);

const prepaymentBalance = { balance: decimal('5.00'), asAt: time('2026-03-14T12:00:00') };
const OTHER = invoice({ id: 'INV-2', reversedId: 'REV-1', dueDate: day('2026-03-30') });

describe('the first invoice of a run', () => {
  it('has what the operator sends, with 23 digits', () => {
    const large = payable('-12345678901234567890.123');
    expect(playAll(ABSENT, serve(large))).toEqual([
      {
        type: 'settlementbus.invoice.issued.v1',
        data: {
          id: 'INV-1',
          market: 'WEM',
          designation: 'INITIAL',
          periodFrom: '2026-03-01T00:00:00',
          tradeWeek: 'TW 01 MAR 2026',
          adjustment: 0,
          invoiceDate: '2026-03-13',
          dueDate: '2026-03-27',
          total: '-12345678901234567890.123',
          payableAmount: '-12345678901234567890.123',
          direction: 'receive',
          settlementRequired: true,
          // Computed with another implementation of RFC 8785.
          digest: 'cd86703f07fb93efacc1e8f4c7804e4ab4bdbbde4ded08cf85ecd2a1394d077b',
        },
      },
    ]);
  });

  it.each<[string, Step<InvoiceState>[], SettlementInvoice, string, object]>([
    [
      'with GST',
      [ABSENT],
      INVOICE,
      'invoice.issued',
      { gstExclusive: '120.01', gst: '7.00', total: '127.01' },
    ],
    ['without adjustment', [ABSENT], invoice({ adjustment: null }), 'invoice.issued', { adjustment: 0 }],
    ['of an adjustment', [ABSENT], invoice({ adjustment: 2 }), 'invoice.adjusted', { adjustment: 2 }],
    ['that was not watched', [], INVOICE, 'invoice.issued', { restated: true }],
    [
      'that names a reversal',
      [ABSENT],
      invoice({ reversedId: 'REV-1' }),
      'invoice.issued',
      { reversedId: 'REV-1', restated: true },
    ],
    [
      'a day late',
      [ABSENT],
      invoice({ invoiceDate: day('2026-03-14') }),
      'invoice.issued',
      { late: { dueDate: '2026-03-13', seconds: 86_400 } },
    ],
  ])('%s', (_, before, response, type, data) => {
    const [fact, ...others] = playAll(...before, serve(response));
    expect(fact).toMatchObject({ type: `settlementbus.${type}.v1`, data });
    expect(others).toEqual([]);
  });

  it.each([
    ['dated in the future', invoice({ invoiceDate: day('2026-03-15') }), '2026-03-14T03:00:00', 86_400],
    ['that names a reversal', invoice({ reversedId: 'REV-1' }), '2026-03-14T03:00:00', 10_800],
  ])('after an overdue event is late, %s', (_, response, seen, seconds) => {
    const overdue = serve(undefined, '2026-03-14T01:00:00');
    const moved: SettlementRun = { ...RUN, invoiceDate: time('2026-03-20T00:00:00') };
    const [, fact] = playAll(overdue, serve(response, seen, moved));
    expect(fact?.data).toMatchObject({ late: { dueDate: '2026-03-13', seconds } });
  });

  it.each([ABSENT, undefined])('one that names a reversal is not late without an overdue event', (before) => {
    const response = invoice({ reversedId: 'REV-1', invoiceDate: day('2026-03-20') });
    const [fact] = playAll(...(before ? [before] : []), serve(response));
    expect(fact?.data).toMatchObject({ restated: true });
    expect(fact?.data).not.toHaveProperty('late');
  });

  it.each([
    ['in time', INVOICE],
    ['before its day', invoice({ invoiceDate: day('2026-03-12') })],
    ['with an empty reversal', invoice({ reversedId: ' ' })],
  ])('%s is neither late nor restated', (_, response) => {
    const [fact] = playAll(ABSENT, serve(response));
    expect(fact?.data).not.toHaveProperty('late');
    expect(fact?.data).not.toHaveProperty('restated');
  });
});

describe('the same invoice again', () => {
  it('is announced with the figures that changed', () => {
    const [, fact] = playAll(serve(INVOICE), serve(payable('100.00')));
    expect(fact).toMatchObject({
      type: 'settlementbus.invoice.issued.v1',
      data: {
        id: 'INV-1',
        total: '100.00',
        changed: {
          id: 'INV-1',
          digest: DIGEST,
          dueDate: '2026-03-27',
          total: '127.01',
          payableAmount: '127.01',
          direction: 'pay',
        },
      },
    });
    expect(fact?.data).not.toHaveProperty('restated');
  });

  it.each<[string, Partial<SettlementInvoice>, string[]]>([
    ['another due date', { dueDate: day('2026-03-28') }, ['invoice.issued']],
    ['another title', { title: 'corrected' }, ['invoice.issued']],
    ['a reversal that it did not name', { reversedId: 'REV-1' }, ['invoice.reversed']],
    ['another adjustment', { adjustment: 1 }, ['invoice.adjusted']],
    ['null in place of an absent member', { title: null, reversedId: null }, []],
    ['another prepayment balance', { paymentSummary: { ...INVOICE.paymentSummary!, prepaymentBalance } }, []],
  ])('%s', (_, changes, expected) => {
    const [, facts = []] = play(FORM, undefined, serve(INVOICE), serve(invoice(changes)));
    expect(typesOf(facts)).toEqual(expected);
  });

  it('is reversed under its own id when it newly names a reversal', () => {
    const reversal = serve(invoice({ reversedId: 'REV-1' }));
    const [, fact, ...others] = playAll(
      serve(INVOICE),
      reversal,
      serve(invoice({ reversedId: 'REV-1', title: 'x' })),
    );
    expect(fact).toMatchObject({
      type: 'settlementbus.invoice.reversed.v1',
      data: { id: 'INV-1', reversedId: 'REV-1', reversed: { id: 'INV-1', digest: DIGEST } },
    });
    expect(typesOf(others)).toEqual(['invoice.issued']);
  });
});

describe('another invoice for the same run', () => {
  it('reverses the one that was seen', () => {
    const [, ...facts] = playAll(serve(INVOICE), serve(OTHER));
    expect(facts).toEqual([
      {
        type: 'settlementbus.invoice.reversed.v1',
        data: expect.objectContaining({
          id: 'INV-2',
          reversedId: 'REV-1',
          dueDate: '2026-03-30',
          total: '127.01',
          reversed: {
            id: 'INV-1',
            digest: DIGEST,
            dueDate: '2026-03-27',
            total: '127.01',
            payableAmount: '127.01',
            direction: 'pay',
          },
        }) as object,
      },
    ]);
  });

  it('announces each replacement of two that are served in turn, a bounded number of times', () => {
    const facts = playAll(...serveInTurn(30, INVOICE, OTHER));
    const reversed = facts.slice(1).map(({ data }) => data as InvoiceReversedData);
    expect(reversed.slice(0, 3).map(({ id, repetition }) => [id, repetition])).toEqual([
      ['INV-2', undefined],
      ['INV-1', undefined],
      ['INV-2', 2],
    ]);
    expect(facts).toHaveLength(3 + MAX_REPETITIONS);
    expect(new Set(idsOf(facts)).size).toBe(facts.length);
  });
});

it('is overdue once when the grace has ended', () => {
  const times = ['2026-03-14T00:59:59', '2026-03-14T01:00:00', '2026-03-15T00:00:00'];
  const facts = playAll(...times.map((now) => serve(undefined, now)));
  expect(typesOf(facts)).toEqual(['invoice.overdue']);
  expect(facts[0]?.data).toMatchObject({ invoiceDate: '2026-03-13', overdueSince: '2026-03-14T01:00:00' });
});

describe('invoice.discrepancy', () => {
  const wrong = invoice({
    paymentSummary: { ...INVOICE.paymentSummary!, total: decimal('999999999999999999999.99') },
  });
  const worse = invoice({ ...wrong, title: 'corrected' });

  it('follows the invoice, once per version', () => {
    const facts = playAll(serve(wrong), serve(INVOICE), serve(wrong), serve(worse));
    expect(typesOf(facts)).toEqual([
      'invoice.issued',
      'invoice.discrepancy',
      'invoice.issued',
      'invoice.issued',
      'invoice.issued',
      'invoice.discrepancy',
    ]);
    expect(facts[1]?.data).toEqual({
      id: 'INV-1',
      market: 'WEM',
      designation: 'INITIAL',
      periodFrom: '2026-03-01T00:00:00',
      adjustment: 0,
      direction: 'pay',
      digest: DIGEST,
      discrepancies: [
        {
          rule: 'line-items',
          path: 'paymentSummary.total',
          expected: '127.01',
          stated: '999999999999999999999.99',
        },
      ],
      count: 1,
    });
  });

  it('follows a replacement', () => {
    const facts = playAll(serve(INVOICE), serve({ ...wrong, id: 'INV-2' }));
    expect(typesOf(facts)).toEqual(['invoice.issued', 'invoice.reversed', 'invoice.discrepancy']);
  });

  describe('of an adjustment', () => {
    const line = { previous: decimal('60.00'), current: decimal('70.00'), adjustment: decimal('10.00') };
    const adjusted = invoice({
      adjustment: 1,
      adjustmentSummary: { taxInvoiceAdjustment: { gstFree: line } },
    });
    const { state: earlier } = serve(INVOICE)(undefined);
    const agreeing = invoice({
      taxInvoice: { ...INVOICE.taxInvoice!, gstFree: [{ amount: decimal('60.00') }] },
    });
    const { state: corrected } = serve(agreeing)(undefined);
    const adjust =
      (before: InvoiceState | undefined, response = adjusted): Step<InvoiceState> =>
      (state) =>
        detectInvoice(
          state,
          { ...RUN, designation: 'ADJ1' },
          response,
          before?.current?.figures?.taxSums,
          at('2026-06-01T00:00:00'),
        );

    it('compares it with the earlier invoice', () => {
      const [, fact] = playAll(adjust(earlier));
      expect(fact?.data).toMatchObject({
        designation: 'ADJ1',
        comparedWith: DIGEST,
        discrepancies: [
          {
            rule: 'previous',
            path: 'adjustmentSummary.taxInvoiceAdjustment.gstFree.previous',
            expected: '50.00',
            stated: '60.00',
          },
        ],
      });
    });

    it.each<[string, Step<InvoiceState>[], string[]]>([
      ['known later', [adjust(undefined), adjust(earlier)], ['invoice.adjusted', 'invoice.discrepancy']],
      ['known and agreeing', [adjust(undefined), adjust(corrected)], ['invoice.adjusted']],
      ['changed', [adjust(corrected), adjust(earlier)], ['invoice.adjusted', 'invoice.discrepancy']],
      ['known no more', [adjust(earlier), adjust(undefined)], ['invoice.adjusted', 'invoice.discrepancy']],
      [
        'to and fro',
        [adjust(earlier), adjust(corrected), adjust(earlier)],
        ['invoice.adjusted', 'invoice.discrepancy'],
      ],
    ])('the earlier invoice is %s', (_, steps, expected) => {
      expect(typesOf(playAll(...steps))).toEqual(expected);
    });

    it('has the same id whenever the earlier invoice becomes known', () => {
      const [, atOnce] = idsOf(playAll(adjust(earlier)));
      expect(idsOf(playAll(adjust(undefined), adjust(earlier)))[1]).toBe(atOnce);
    });

    it('raises the same events whenever the earlier invoice becomes known, those of other rules apart', () => {
      const both = { ...wrong, ...adjusted, paymentSummary: wrong.paymentSummary };
      const atOnce = playAll(adjust(earlier, both));
      expect(playAll(adjust(undefined, both), adjust(earlier, both))).toEqual(atOnce);
      expect(typesOf(atOnce)).toEqual(['invoice.adjusted', 'invoice.discrepancy', 'invoice.discrepancy']);
      expect(atOnce[1]?.data).toMatchObject({ count: 1, discrepancies: [{ rule: 'line-items' }] });
      expect(atOnce[1]?.data).not.toHaveProperty('comparedWith');
      expect(atOnce[2]?.data).toMatchObject({
        count: 1,
        comparedWith: DIGEST,
        discrepancies: [{ rule: 'previous' }],
      });
      expect(new Set(idsOf(atOnce)).size).toBe(3);
    });
  });
});

describe('when a version was first seen', () => {
  const FIRST = serve(INVOICE, '2026-03-14T12:00:00');
  const EARLY = serve(INVOICE, '2026-03-12T12:00:00');
  it.each<[string, Step<InvoiceState>[], string]>([
    ['after it was missing', [ABSENT, FIRST], '2026-03-14T04:00:00.000Z'],
    ['again, unchanged', [ABSENT, FIRST, serve(INVOICE, '2026-03-20T12:00:00')], '2026-03-14T04:00:00.000Z'],
    ['replaced', [ABSENT, FIRST, serve(OTHER, '2026-03-20T12:00:00')], '2026-03-20T04:00:00.000Z'],
    [
      'with other figures',
      [FIRST, serve(payable('1.00'), '2026-03-20T12:00:00')],
      '2026-03-20T04:00:00.000Z',
    ],
    ['at the first request: its invoice day', [FIRST], '2026-03-12T16:00:00.000Z'],
    ['at the first request, before its day', [EARLY], '2026-03-12T04:00:00.000Z'],
  ])('%s', (_, steps, expected) => {
    const state = steps.reduce<InvoiceState | undefined>((before, step) => step(before).state, undefined);
    expect(state?.current?.seenAt).toBe(expected);
  });
});

it.each([
  ['another market', { market: 'NSTEM' as const }, 'market', 'other-invoice'],
  ['a text that is not Unicode', { title: '\ud800' }, '', 'not-unicode'],
])('an invoice with %s is not used', (_, changes, path, reason) => {
  const { state } = ABSENT(undefined);
  const step = serve(invoice(changes));
  expect(step(state)).toEqual({ facts: [], state, unreadable: [{ path, reason }] });
  expect(typesOf(playAll(step, ABSENT, serve(INVOICE)))).toEqual(['invoice.issued']);
});
