import type { Fault } from '@ssb/market-admin';
import { endOf, hits, isOver, matchesPath } from './injected-fault.js';

const SET_AT = 1_000_000;
const standing = (bounds: Partial<Fault>, applied = 0) => ({
  id: 1,
  fault: { kind: 'latency', ms: 1, ...bounds } as Fault,
  setAt: SET_AT,
  applied,
});

describe('how long a fault lasts', () => {
  it.each([
    ['a moment before its time', { forSeconds: 60 }, 0, 59_999, false],
    ['at its time', { forSeconds: 60 }, 0, 60_000, true],
    ['a time before its count', { times: 3 }, 2, 1e12, false],
    ['at its count', { times: 3 }, 3, 0, true],
    ['both bounds, the count reached first', { forSeconds: 60, times: 3 }, 3, 1, true],
    ['both bounds, the time reached first', { forSeconds: 60, times: 3 }, 1, 60_000, true],
  ])('%s', (_what, bounds, applied, later, over) => {
    expect(isOver(standing(bounds, applied), SET_AT + later)).toBe(over);
  });

  it('has no end in time when it is bounded by a count alone', () => {
    expect([endOf(standing({ times: 1 })), endOf(standing({ forSeconds: 2 }))]).toEqual([
      undefined,
      SET_AT + 2_000,
    ]);
  });
});

describe('whom a fault hits', () => {
  const asked = { participant: 'WPGENCO', path: '/api/v2/prudential' };
  it.each([
    ['anybody, anywhere', {}, asked, true],
    ['its participant', { participant: 'WPGENCO' }, asked, true],
    ['no other', { participant: 'OTHER' }, asked, false],
    ['nobody unknown', { participant: 'WPGENCO' }, { ...asked, participant: undefined }, false],
    ['its path', { path: '/api/v2/prudential' }, asked, true],
    ['no other path', { path: '/api/v2/settlements/**' }, asked, false],
    ['no participant elsewhere', { participant: 'WPGENCO', path: '/api/v2/settlements/**' }, asked, false],
  ])('%s', (_what, limits, question, hit) => {
    expect(hits(standing({ times: 1, ...limits }), question)).toBe(hit);
  });
});

describe('a path pattern', () => {
  it.each([
    ['/api/v2/prudential', '/api/v2/prudential', true],
    ['/api/v2/prudential', '/api/v2/prudential/summary', false],
    ['/api/v2/settlements/*/summary/**', '/api/v2/settlements/WEM/summary/2026-03-01/INITIAL', true],
    ['/api/v2/settlements/*/summary/**', '/api/v2/settlements/WEM/invoice/2026-03-01/INITIAL', false],
    ['/api/v2/*', '/api/v2/settlements/timeline', false],
    ['/api/v2/**', '/api/v2', true],
    ['/**', '/anything/at/all', true],
  ])('%s, %s: %s', (pattern, path, matches) => {
    expect(matchesPath(pattern, path)).toBe(matches);
  });
});
