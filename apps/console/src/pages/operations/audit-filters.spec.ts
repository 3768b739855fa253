import { readAuditFilters } from './audit-filters.js';

it('reads the filters of the address', () => {
  expect(readAuditFilters({ kind: 'close', author: 'olivia', since: '2026-11-01' })).toEqual({
    query: { kind: ['close'], author: ['olivia'], since: '2026-11-01T00:00:00+08:00' },
    faults: [],
    isFiltered: true,
  });
  expect(readAuditFilters({ letter: '1' })).toEqual({ query: {}, faults: [], isFiltered: false });
});

it('ignores what is not possible, and says so', () => {
  const { query, faults, isFiltered } = readAuditFilters({ kind: 'Close!', since: '2026-13-45' });
  expect([query, isFiltered]).toEqual([{}, true]);
  expect(faults).toEqual([
    expect.stringMatching(/^The action “Close!” does not exist and is ignored\. Allowed: acknowledge, /),
    expect.stringMatching(/^The time “2026-13-45” is not a time and is ignored\./),
  ]);
});
