import type { EventRow } from '../../../api/operations.js';
import { isFiltered, matchesFilter, readFilter, toQuery, writeFilter } from './event-filter.js';
import { QUICK_FILTERS } from './quick-filters.js';

const breach: EventRow = {
  id: '1',
  type: 'settlementbus.margin.breached.v1',
  participant: 'ALPHA',
  subject: 'ALPHA/prudential',
  severity: 'critical',
  time: '2026-11-30T23:59:59+08:00',
  archivedAt: '2026-11-30T16:00:01Z',
  marks: [],
  figures: {},
};
const matches = (search: Record<string, string>, row: Partial<EventRow> = {}): boolean =>
  matchesFilter(readFilter(search).filter, { ...breach, ...row });

it('an address without members lists all but calculations and heartbeats', () => {
  const { filter, faults } = readFilter({});
  const { type = [], ...rest } = toQuery(filter);
  expect(faults).toEqual([]);
  expect(type).toHaveLength(27);
  expect(type).not.toContain('position.calculated');
  expect(type).not.toContain('bridge.heartbeat');
  expect(rest).toEqual({ participant: [], severity: [] });
  expect(isFiltered(filter)).toBe(false);
});

it('calculations are listed on request, and types decide alone', () => {
  expect(toQuery(readFilter({ calculations: 'yes' }).filter).type).toEqual([]);
  expect(toQuery(readFilter({ type: 'position.*' }).filter).type).toEqual(['position.*']);
});

it('reads an address, requests what it says, and writes it again', () => {
  const search = {
    type: 'margin.*,invoice.issued',
    participant: 'ALPHA,BETA',
    severity: 'warning,critical',
    subject: 'ALPHA/WEM/',
    since: '2026-11-29',
    until: '2026-11-30',
  };
  const { filter, faults } = readFilter(search);
  expect(faults).toEqual([]);
  expect(toQuery(filter)).toEqual({
    type: ['margin.*', 'invoice.issued'],
    participant: ['ALPHA', 'BETA'],
    severity: ['warning', 'critical'],
    subject: 'ALPHA/WEM/',
    since: '2026-11-29T00:00:00+08:00',
    until: '2026-12-01T00:00:00+08:00',
  });
  expect(writeFilter(filter)).toEqual(search);
});

it.each([
  [{ type: 'margin.breach' }, '“margin.breach” is not an event type.'],
  [{ severity: 'high' }, '“high” is not a severity.'],
  [{ since: '2026-02-30' }, '“2026-02-30” is not a day'],
  [{ since: '2026-02-02', until: '2026-02-01' }, 'The last day is before the first one.'],
])('ignores and explains %j', (search, fault) => {
  const { filter, faults } = readFilter(search);
  expect(faults).toEqual([expect.stringContaining(fault)]);
  expect(writeFilter(filter)).toEqual('until' in search ? { since: search.since } : {});
});

it.each([
  [{}, true],
  [{ type: 'margin.*' }, true],
  [{ type: 'invoice.*' }, false],
  [{ participant: 'BETA' }, false],
  [{ severity: 'critical' }, true],
  [{ subject: 'ALPHA/pr' }, true],
  [{ subject: 'prudential' }, false],
  [{ since: '2026-11-30', until: '2026-11-30' }, true],
  [{ until: '2026-11-29' }, false],
  [{ since: '2026-12-01' }, false],
])('an event of the stream is compared with %j: %s', (search, expected) => {
  expect(matches(search)).toBe(expected);
});

it('a calculation of the stream is left out as in the listing', () => {
  const type = 'settlementbus.position.calculated.v1';
  expect(matches({}, { type })).toBe(false);
  expect(matches({ calculations: 'yes' }, { type })).toBe(true);
});

it('quick filters name types that exist', () => {
  for (const { types } of QUICK_FILTERS) expect(readFilter({ type: types.join(',') }).faults).toEqual([]);
});
