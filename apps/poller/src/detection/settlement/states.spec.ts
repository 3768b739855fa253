import {
  formatState,
  NEW_INVOICE,
  parseEstimationState,
  parseInvoiceState,
  parseStatementState,
  parseTimelineState,
} from './states.js';

describe('a text that is not a state of a known release', () => {
  it.each([
    '{"version":2}',
    '{"version":2,"raised":[],"reminders":[]}',
    '{"version":1}',
    '4711',
    'INV-1',
    '',
  ])('%s', (text) => {
    expect(parseInvoiceState(text)).toBeUndefined();
    expect(parseStatementState(text)).toBeUndefined();
    expect(parseTimelineState(text)).toBeUndefined();
    expect(parseEstimationState(text)).toBeUndefined();
  });

  it.each([
    ['an amount', { total: '1e3' }],
    ['a date', { dueDate: '2026-02-30' }],
    ['a digest', { digest: 'abc' }],
  ])('an invoice with %s of another form', (_, change) => {
    const figures = {
      digest: 'ab'.repeat(32),
      market: 'WEM',
      designation: 'INITIAL',
      periodFrom: '2026-03-01T00:00:00',
      dueDate: '2026-03-27',
      taxSums: {},
    };
    const format = (changed: object): string =>
      JSON.stringify({
        ...NEW_INVOICE,
        current: { id: 'INV-1', seenAt: '2026-03-13T00:00:00Z', figures: { ...figures, ...changed } },
      });
    expect(parseInvoiceState(format({}))).toBeDefined();
    expect(parseInvoiceState(format(change))).toBeUndefined();
  });
});

it('a state has its version in its text', () => {
  expect(formatState(NEW_INVOICE)).toBe('{"version":1,"raised":[],"reminders":[]}');
});
