import { matchesPath } from './path-pattern.js';

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
