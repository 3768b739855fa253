import type { CalendarRow, StatementDetail } from '../../api/operations.js';
import { listChoices } from './comparison-choices.js';

const run = (id: string, periodFrom: string, designation: string, payment?: string): CalendarRow => ({
  participant: 'WPGENCO',
  market: 'WEM',
  periodFrom,
  designation,
  id,
  status: 'published',
  date: periodFrom,
  revisions: 0,
  discrepancies: 0,
  currency: 'AUD',
  ...(payment !== undefined && { payment }),
});

const version = (eventId: string): StatementDetail['versions'][number] => ({
  eventId,
  kind: 'published',
  runId: 1,
  publishedAt: '2026-09-24T09:00:00Z',
  payment: '1',
  charge: '2',
});

const ADJ1: StatementDetail = {
  ...run('adj1', '2026-09-06', 'ADJ1', '1'),
  versions: [version('revised'), version('first')],
  moreVersions: false,
  moreVariables: false,
  invoices: [],
  moreInvoices: false,
};

it('offers the other versions, then the other published runs of the period', () => {
  const runs = [
    run('adj2', '2026-09-06', 'ADJ2', '1'),
    run('initial', '2026-09-06', 'INITIAL', '1'),
    run('adj1', '2026-09-06', 'ADJ1', '1'),
    run('expected', '2026-09-06', 'ADJ3'),
    run('another period', '2026-09-13', 'INITIAL', '1'),
  ];
  expect(listChoices(ADJ1, runs, 'revised').map(({ kind, id }) => [kind, id])).toEqual([
    ['version', 'first'],
    ['run', 'initial'],
    ['run', 'adj2'],
  ]);
});
