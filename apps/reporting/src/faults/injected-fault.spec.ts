import type { Fault } from '@ssb/market/admin';
import { hasEnded, matchesPath, matchesTarget } from './injected-fault.js';

const SET_AT = 1_000_000;
const injected = (bounds: Partial<Fault>, applied = 0) => ({
  id: 1,
  fault: { kind: 'latency', ms: 1, ...bounds } as Fault,
  setAt: SET_AT,
  applied,
});

describe('how long a fault lasts', () => {
  it.each([
    ['a millisecond before its time', { forSeconds: 60 }, 0, 59_999, false],
    ['at its time', { forSeconds: 60 }, 0, 60_000, true],
    ['one application before its count', { times: 3 }, 2, 1e12, false],
    ['at its count', { times: 3 }, 3, 0, true],
    ['both bounds, the count reached first', { forSeconds: 60, times: 3 }, 3, 1, true],
    ['both bounds, the time reached first', { forSeconds: 60, times: 3 }, 1, 60_000, true],
  ])('%s', (_what, bounds, applied, laterMs, ended) => {
    expect(hasEnded(injected(bounds, applied), SET_AT + laterMs)).toBe(ended);
  });
});

describe('the requests that a fault matches', () => {
  const target = { participant: 'WPGENCO', path: '/api/v2/prudential' };
  it.each([
    ['every caller and path', {}, target, true],
    ['its own participant', { participant: 'WPGENCO' }, target, true],
    ['no other participant', { participant: 'OTHER' }, target, false],
    ['no unknown caller', { participant: 'WPGENCO' }, { ...target, participant: undefined }, false],
    ['its own path', { path: '/api/v2/prudential' }, target, true],
    ['no other path', { path: '/api/v2/settlements/**' }, target, false],
    [
      'its own participant at no other path',
      { participant: 'WPGENCO', path: '/api/v2/settlements/**' },
      target,
      false,
    ],
  ])('%s', (_what, limits, request, matches) => {
    expect(matchesTarget(injected({ times: 1, ...limits }), request)).toBe(matches);
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
