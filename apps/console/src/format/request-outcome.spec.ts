import type { RequestRow } from '../api/operations.js';
import { countOf } from './count.js';
import { changedBy, describeRequest } from './request-outcome.js';

const request = (rest: Partial<RequestRow> & { readonly subscriberRuns?: boolean }): RequestRow => ({
  id: 'r',
  kind: 'resend',
  state: 'done',
  requestedAt: '2026-11-30T10:00:00Z',
  author: 'desk',
  parameters: {},
  ...rest,
});

const done = (row: RequestRow): string => `${changedBy(row)} changed.`;

it.each<[string, Parameters<typeof request>[0], string, boolean, boolean]>([
  ['done', { result: { changed: 3 } }, '3 changed.', false, false],
  ['refused', { state: 'refused', result: { reason: 'It is over.' } }, 'Refused: It is over.', false, true],
  ['failed', { state: 'failed' }, 'Failed: The subscriber gave no reason.', false, true],
  ['waiting', { state: 'waiting' }, 'Stored. The subscriber carries it out in its turn.', true, false],
  [
    'waiting for a subscriber',
    { state: 'waiting', subscriberRuns: false },
    'Stored. No subscriber runs now: it is carried out at its next start.',
    true,
    false,
  ],
  [
    'in progress',
    { state: 'running', progress: { changed: 500, total: 900 } },
    'Stored. The subscriber carries it out: 500 of 900 so far.',
    true,
    false,
  ],
])('describes a request that is %s', (_, rest, text, isOpen, isFailed) => {
  expect(describeRequest(request(rest), done)).toEqual({ text, isOpen, isFailed });
});

it('counts with nouns', () => {
  expect([countOf(1, 'delivery', 'deliveries'), countOf(1200, 'delivery', 'deliveries')]).toEqual([
    '1 delivery',
    '1,200 deliveries',
  ]);
});
