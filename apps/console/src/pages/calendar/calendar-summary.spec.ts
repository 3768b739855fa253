import type { CalendarRow } from '../../api/operations.js';
import { summarise } from './calendar-summary.js';

const run = (id: string, more: Partial<CalendarRow>): CalendarRow => ({
  participant: 'WPGENCO',
  market: 'WEM',
  periodFrom: '2026-09-06',
  designation: 'INITIAL',
  id,
  status: 'published',
  date: '2026-09-17',
  revisions: 0,
  discrepancies: 0,
  currency: 'AUD',
  ...more,
});

it('has what is overdue longest, and the earliest last day to dispute, first', () => {
  const { overdue, lastDays } = summarise(
    [
      run('b', { invoiceOverdueSince: '2026-09-20T17:00:00.000Z', invoiceDueDate: '2026-09-20' }),
      run('a', { statementOverdueSince: '2026-09-18T17:00:00.000Z', statementDueDate: '2026-09-18' }),
    ],
    [
      run('late', { disagreeUntil: '2026-10-20' }),
      run('today', { disagreeUntil: '2026-10-01' }),
      run('past', { disagreeUntil: '2026-09-30' }),
      run('late too', { disagreeUntil: '2026-10-20' }),
      run('never', {}),
    ],
    '2026-10-01',
  );
  expect(overdue.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(lastDays.map(({ day, runs }) => [day, runs.map(({ id }) => id)])).toEqual([
    ['2026-10-01', ['today']],
    ['2026-10-20', ['late', 'late too']],
  ]);
});
