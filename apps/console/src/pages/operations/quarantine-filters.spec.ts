import { readQuarantineFilters } from './quarantine-filters.js';

it('reads the filters of the address', () => {
  expect(readQuarantineFilters({ state: 'released', reason: 'schema', channel: 'margin.example' })).toEqual({
    query: { state: ['released'], reason: ['schema'], channel: ['margin.example'] },
    faults: [],
    isFiltered: true,
  });
  expect(readQuarantineFilters({})).toEqual({ query: {}, faults: [], isFiltered: false });
});

it('ignores what does not exist, and says so', () => {
  const { query, faults } = readQuarantineFilters({ state: 'lost', reason: 'mood' });
  expect(query).toEqual({});
  expect(faults).toEqual([
    'The state “lost” does not exist and is ignored. Allowed: open, released.',
    expect.stringMatching(/^The reason “mood” does not exist and is ignored\./),
  ]);
});
