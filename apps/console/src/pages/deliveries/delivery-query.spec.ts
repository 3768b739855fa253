import { readFilters } from './delivery-query.js';

it('reads the filters of the address', () => {
  const filters = {
    sink: 'treasury',
    state: 'parked,pending',
    kind: 'alert',
    type: 'margin.*',
    participant: 'ALPHA,BETA',
    problem: 'p1',
    event: 'abcdef12',
    since: '2026-11-30',
    until: '2026-12-01T10:00:00Z',
  };
  expect(readFilters(filters)).toEqual({
    query: {
      sink: ['treasury'],
      state: ['parked', 'pending'],
      kind: ['alert'],
      type: ['margin.*'],
      participant: ['ALPHA', 'BETA'],
      problem: 'p1',
      event: 'abcdef12',
      since: '2026-11-30T00:00:00+08:00',
      until: '2026-12-01T10:00:00Z',
    },
    faults: [],
    isFiltered: true,
  });
});

it('ignores what is not allowed, and says so', () => {
  const { query, faults } = readFilters({ state: 'lost', event: 'abc', until: 'later', sink: '' });
  expect(query).toEqual({});
  expect(faults).toHaveLength(3);
});
