import { TextOutput } from '@ssb/platform';
import { type EventLine, formatEventLine, printEventLine } from './event-lines.js';

const breached: EventLine = {
  type: 'settlementbus.margin.breached.v1',
  subject: 'WPGENCO/prudential',
  archivedAt: '2026-11-20T00:12:12.567Z',
  detectedAt: '2026-11-20T00:12:12.527Z',
  isAlert: true,
  event: {
    participant: 'WPGENCO',
    data: {
      tradingMargin: '-12340.50',
      thresholds: { warning: '250000.00', breach: '0.00', hysteresis: '25000.00' },
    },
  },
};
const RUN = { marketService: 'WEM', periodFrom: '2026-11-15T00:00:00', designation: 'INITIAL' };
const INVOICE = { market: 'WEM', periodFrom: '2026-11-15T00:00:00', designation: 'ADJ1' };
const margin = (type: string, data: object): EventLine => about(`margin.${type}`, data);

function about(type: string, data: object): EventLine {
  return {
    ...breached,
    type: `settlementbus.${type}.v1`,
    isAlert: false,
    event: { participant: 'WPGENCO', data },
  };
}

const THRESHOLDS = { warning: '250000.00', breach: '0.00', hysteresis: '25000.00' };
const PAY = { direction: 'pay', payableAmount: '1234567.89', dueDate: '2026-12-03' };

describe('formatEventLine', () => {
  it('has market time, type, participant, figures and, where there is room, the duration', () => {
    expect(formatEventLine(breached)).toBe(
      '!! 08:12:12  margin.breached      WPGENCO  margin -12,340.50 below 0.00  40 ms',
    );
  });

  it('names the settlement run', () => {
    const line = about('statement.published', {
      ...RUN,
      tradingDays: 7,
      totals: { payment: '1000.005', charge: '1235567.89' },
    });
    expect(formatEventLine(line)).toBe(
      '   08:12:12  statement.published  WPGENCO  WEM 2026-11-15 INITIAL  net -1,234,567.89, 7 days  40 ms',
    );
  });

  it.each<[string, EventLine, string]>([
    [
      'a revised statement',
      about('statement.revised', {
        ...RUN,
        totals: { payment: '500.00', charge: '200.00' },
        difference: { payment: '0.00', charge: '-12.345' },
      }),
      'net 300.00  changed by 12.35',
    ],
    [
      'an overdue statement',
      about('statement.overdue', { ...RUN, overdueSince: '2026-12-02T01:00:00' }),
      'missing since 2026-12-02 01:00',
    ],
    [
      'an overdue invoice',
      about('invoice.overdue', { ...RUN, overdueSince: '2026-12-02T01:00:00' }),
      'missing since 2026-12-02 01:00',
    ],
    [
      'a reminder of the last day to dispute',
      about('statement.disagreement-due', { ...RUN, businessDaysLeft: 5, disagreeUntil: '2026-12-08' }),
      '5 business days left',
    ],
    [
      'a passed last day to dispute',
      about('statement.disagreement-lapsed', { ...RUN, disagreeUntil: '2026-12-08' }),
      'no time left since 2026-12-08',
    ],
    ['an invoice to pay', about('invoice.issued', { ...INVOICE, ...PAY }), 'pay 1,234,567.89 due 2026-12-03'],
    [
      'an invoice to receive',
      about('invoice.adjusted', { ...INVOICE, ...PAY, direction: 'receive', payableAmount: '-0.5' }),
      'receive 0.50 due 2026-12-03',
    ],
    [
      'an invoice of nothing',
      about('invoice.issued', { ...INVOICE, payableAmount: '0.00', dueDate: '2026-12-03' }),
      'nothing to settle',
    ],
    [
      'a reversed invoice',
      about('invoice.reversed', { ...INVOICE, reversed: { id: 'A', ...PAY, payableAmount: '10.00' } }),
      'no longer pay 10.00 due 2026-12-03',
    ],
    [
      'a discrepancy',
      about('invoice.discrepancy', {
        ...INVOICE,
        discrepancies: [{ stated: '10.00', expected: '12.00' }],
        count: 2,
      }),
      '10.00, expected 12.00',
    ],
    ['a document', about('invoice.document-stored', { ...INVOICE, bytes: 1_001 }), 'PDF of 2 kB'],
    [
      'a payment',
      about('payment.due', { ...INVOICE, ...PAY, payableAmount: '9', daysLeft: 1 }),
      'pay 9.00 due 2026-12-03',
    ],
    [
      'a warning',
      margin('warning', { tradingMargin: '180120.00', thresholds: THRESHOLDS }),
      'margin 180,120.00 below 250,000.00',
    ],
    [
      'a deeper breach',
      margin('breached', { tradingMargin: '-190.00', previousMargin: '-60.00', thresholds: THRESHOLDS }),
      'margin -190.00 below 0.00  was -60.00',
    ],
    [
      'a restored margin',
      margin('restored', { tradingMargin: '430000.00', level: 'OK', thresholds: THRESHOLDS }),
      'margin 430,000.00 above 250,000.00',
    ],
    [
      'a margin that is still below the warning',
      margin('restored', { tradingMargin: '30000.00', level: 'WARNING', thresholds: THRESHOLDS }),
      'margin 30,000.00 above 0.00',
    ],
    [
      'a forecast',
      margin('breach-forecast', { tradingMargin: '-5.00', breach: '0.00', breachDay: '2026-12-04' }),
      'below 0.00 on 2026-12-04  margin -5.00',
    ],
    [
      'a shortage',
      about('credit-support.short', { creditSupport: '7000000.00', creditLimit: '7500000.00' }),
      'support 7,000,000.00, limit 7,500,000.00',
    ],
    [
      'a stale position',
      about('position.stale', { lastCalculatedAt: '2026-11-30T17:00:00' }),
      'last calculation 2026-11-30 17:00',
    ],
    ['moved dates', about('timeline.changed', { count: 3 }), '3 changes'],
    ['an unreachable market', about('market.unreachable', {}), 'WPGENCO'],
  ])('shows %s', (_, line, figures) => {
    expect(formatEventLine({ ...line, detectedAt: undefined })).toContain(`  ${figures}`);
  });

  it('fits 100 columns', () => {
    const line = about('payment.due', { ...INVOICE, ...PAY, daysLeft: 12 });
    expect(formatEventLine(line)).toBe(
      '   08:12:12  payment.due          WPGENCO  WEM 2026-11-15 ADJ1     pay 1,234,567.89 due 2026-12-03',
    );
  });

  it('shows the subject when the archive could not be read', () => {
    expect(formatEventLine({ ...breached, event: undefined })).toBe(
      '!! 08:12:12  margin.breached      WPGENCO/prudential  40 ms',
    );
  });
});

it('prints alerts in red on a terminal, and nothing that a terminal obeys', () => {
  const printed: string[] = [];
  const terminal = new TextOutput(() => ({ write: (text: string) => printed.push(text), isTTY: true }), {});
  const participant = 'W\u001b[2J\u009b\u202e\r\nx';
  for (const isAlert of [true, false])
    printEventLine(terminal, { ...breached, isAlert, event: { data: breached.event?.data, participant } });
  const [inRed = '', line = ''] = printed;
  expect([inRed.slice(0, 7), inRed.slice(-5)]).toEqual(['\u001b[1;31m', '\u001b[0m\n']);
  expect(inRed.slice(7, -5)).toMatch(/^!! 08:12:12 [^\p{Cc}\p{Cf}]*$/u);
  expect(line).toMatch(/^[^\p{Cc}\p{Cf}]*W\\u001b\[2J\\u009b\\u202e\\r\\nx[^\p{Cc}\p{Cf}]*\n$/u);
});
