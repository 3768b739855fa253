import type { RequestRow } from '../../api/operations.js';
import { describeRecheck } from './recheck-outcome.js';

const request = (state: RequestRow['state'], result?: RequestRow['result']): RequestRow => ({
  id: '1',
  kind: 'recheck-quarantine',
  state,
  requestedAt: '2026-11-30T02:00:00Z',
  author: 'operator',
  parameters: {},
  ...(result && { result }),
});

it.each([
  [
    request('done', { evaluated: 3, released: 2, stillQuarantined: 1 }),
    'info',
    '3 evaluated, 2 released, 1 still quarantined.',
  ],
  [request('waiting'), 'info', 'The request is stored. The subscriber carries it out soon.'],
  [
    request('refused', { reason: 'It runs already.' }),
    'warning',
    'The request was refused: It runs already.',
  ],
])('says what became of a request (%#)', (row, kind, text) => {
  expect(describeRecheck(row)).toEqual({ kind, text });
});
