import { readSelection } from './problem-query.js';

it('reads the filters of the address', () => {
  const filters = {
    state: 'resolved,closed',
    kind: 'margin',
    participant: 'ALPHA, BETA',
    since: '2026-11-30',
  };
  expect(readSelection(filters)).toEqual({
    query: {
      state: ['resolved', 'closed'],
      kind: ['margin'],
      participant: ['ALPHA', 'BETA'],
      since: '2026-11-30T00:00:00+08:00',
    },
    faults: [],
    isFiltered: true,
  });
});

it('ignores what does not exist, and says so', () => {
  const { query, faults } = readSelection({ state: 'lost', severity: 'critical', since: 'soon', other: 'x' });
  expect(query).toEqual({ severity: ['critical'] });
  expect(faults).toHaveLength(2);
});

it('knows an address without filters', () => {
  expect(readSelection({ other: 'x' })).toEqual({ query: {}, faults: [], isFiltered: false });
});
