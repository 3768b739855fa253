import {
  formatState,
  NEW_INVOICE,
  NEW_STATEMENT,
  parseEstimationState,
  parseInvoiceState,
  parseStatementState,
  parseTimelineState,
} from './states.js';

describe('the texts of releases before 0.2', () => {
  it.each([
    ['4711', { ...NEW_STATEMENT, current: { runId: 4711 } }],
    ['2147483647', { ...NEW_STATEMENT, current: { runId: 2_147_483_647 } }],
    ['2147483648', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['', undefined],
    ['INV-1', undefined],
  ])('the statement %p', (text, expected) => {
    expect(parseStatementState(text)).toEqual(expected);
  });

  it.each(['INV-1', '4711', '', '{"a":1}', 'true', 'Ärger-123456789-1234'])('the invoice %p', (text) => {
    expect(parseInvoiceState(text)).toEqual({ ...NEW_INVOICE, current: { id: text } });
  });
});

describe('a text that is no state of a known release', () => {
  it.each([
    '{"version":2}',
    '{"version":2,"raised":[],"reminders":[]}',
    '{"version":1}',
    '123456789012345678901',
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
      JSON.stringify({ ...NEW_INVOICE, current: { id: 'INV-1', figures: { ...figures, ...changed } } });
    expect(parseInvoiceState(format({}))).toBeDefined();
    expect(parseInvoiceState(format(change))).toBeUndefined();
  });
});

it('a state has its version in its text', () => {
  expect(formatState(NEW_INVOICE)).toBe('{"version":1,"raised":[],"reminders":[]}');
});
