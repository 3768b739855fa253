import type { OpenItemRow } from '../../api/operations.js';
import { describeOpenItem, sortOpenItems } from './open-items.js';

const item = (kind: OpenItemRow['kind'], more: Partial<OpenItemRow> = {}): OpenItemRow => ({
  participant: 'ALPHA',
  kind,
  ...more,
});

it('has what is unknown first, then what is overdue, then what is missing longest', () => {
  const unknown = item('unknown');
  const overdue = item('invoice', { since: '2026-12-01T00:00:00Z', overdueSince: '2026-12-02T00:00:00Z' });
  const [older, newer] = ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'].map((since) =>
    item('statement', { since }),
  );
  expect(sortOpenItems([newer!, overdue, older!, unknown])).toEqual([unknown, overdue, older, newer]);
});

it.each<[OpenItemRow, string]>([
  [
    item('unknown', { interface: 'settlement' }),
    'Not known what is missing: the settlement interface has not been read',
  ],
  [item('calculation'), 'Calculation of the margin'],
  [
    item('invoice', { market: 'WEM', periodFrom: '2026-09-20', designation: 'INITIAL' }),
    'Invoice of WEM from Sun 20 Sep 2026, INITIAL',
  ],
  [
    item('document', { market: 'STEM', periodFrom: '2026-09-20', designation: 'ADJ1', invoiceNumber: 'X-1' }),
    'PDF of invoice X-1 of STEM from Sun 20 Sep 2026, ADJ1',
  ],
])('describes %j', (row, text) => {
  expect(describeOpenItem(row)).toBe(text);
});
