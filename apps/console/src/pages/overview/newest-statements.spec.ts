import type { CalendarRow } from '../../api/operations.js';
import { newestStatements } from './newest-statements.js';

const row = (id: string, publishedAt: string, revisedAt?: string): CalendarRow =>
  ({ id, publishedAt, ...(revisedAt !== undefined && { revisedAt }) }) as CalendarRow;

it('has the newest publication or revision first', () => {
  const rows = [
    row('old', '2026-12-01T00:00:00Z'),
    row('revised', '2026-11-01T00:00:00Z', '2026-12-01T00:00:02.500Z'),
    row('new', '2026-12-01T00:00:01Z'),
  ];
  expect(newestStatements(rows, 2).map(({ id }) => id)).toEqual(['revised', 'new']);
});
