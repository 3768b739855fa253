import type { CalendarRow } from '../../api/operations.js';
import { newestPublications } from './newest-publications.js';

const row = (id: string, more: Partial<CalendarRow>): CalendarRow => ({ id, ...more }) as CalendarRow;

it('has the newest publication, revision or invoice first, and each run once', () => {
  const invoiced = row('invoiced', {
    publishedAt: '2026-11-30T00:00:00Z',
    invoiceId: 'i',
    invoiceDate: '2026-12-02',
  });
  const rows = [
    row('old', { publishedAt: '2026-12-01T00:00:00Z' }),
    row('revised', { publishedAt: '2026-11-01T00:00:00Z', revisedAt: '2026-12-01T00:00:02.500Z' }),
    row('new', { publishedAt: '2026-12-01T00:00:01Z' }),
    invoiced,
  ];
  expect(newestPublications(rows, [invoiced]).map(({ row: { id }, what }) => [id, what])).toEqual([
    ['invoiced', 'invoiced'],
    ['revised', 'revised'],
    ['new', 'published'],
    ['old', 'published'],
  ]);
});

it('leaves out an invoice that is only expected, and has a revision after an invoice', () => {
  const expected = row('expected', { invoiceDate: '2026-12-02' });
  const revised = row('revised', {
    revisedAt: '2026-12-03T00:00:00Z',
    invoiceId: 'i',
    invoiceDate: '2026-12-02',
  });
  expect(newestPublications([revised], [expected, revised])).toEqual([
    { row: revised, what: 'revised', at: '2026-12-03T00:00:00Z' },
  ]);
});
