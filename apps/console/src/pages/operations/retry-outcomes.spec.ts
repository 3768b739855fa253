import { describeOutcome, summarisePage } from './retry-outcomes.js';

it('says what became of a dead letter', () => {
  expect(describeOutcome({ id: '1', outcome: 'queued' })).toBe(
    '1 is queued again, and leaves the list once it is published.',
  );
  expect(describeOutcome({ id: '1', outcome: 'refused', reason: 'no route.' })).toBe(
    '1 was refused, and stays in the list (no route).',
  );
});

it('sums up a page', () => {
  const refused = { id: '2', outcome: 'refused', reason: 'schema' } as const;
  expect(
    summarisePage({
      items: [{ id: '1', outcome: 'queued' }, refused, { id: '3', outcome: 'already-published' }],
    }),
  ).toEqual({ queued: 1, refused: [refused], others: 1 });
});
