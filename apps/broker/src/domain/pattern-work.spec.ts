import { describe, expect, it } from '@jest/globals';
import { patternWork } from './pattern-work.js';

describe('the work of a pattern', () => {
  // Counted by hand: in how many ways its parts can match, and how many of them have no end; one more end where it may begin anywhere.
  it.each<[string, number, number]>([
    ['', 1, 1],
    ['^abc$', 1, 0],
    ['abc', 1, 1],
    ['^[a-z*+?{]+$', 1, 1],
    ['^\\d{4}-\\d{2}$', 1, 0],
    ['^a?b?$', 4, 0],
    ['^a{2,5}$', 4, 0],
    ['^a{2,}b*?$', 1, 2],
    ['^(?:0[1-9]|1[0-2])$', 2, 0],
    ['^(?:a|b|c)(?<name>d|e)$', 6, 0],
    ['^-?(0|[1-9]\\d*)(\\.\\d+)?$', 8, 2],
    ['^([0-9a-f]{4}-){3}$', 1, 0],
    ['^(ab)+$', 1, 1],
    ['^(?:ab){1,3}$', 3, 0],
    ['^a|b$', 2, 1],
    ['^(a|b)$', 2, 0],
    ['^\\(\\)\\|\\+$', 1, 0],
    ['^\\p{L}+\\u{1F600}\\u00e9\\x41\\cA\\0$', 1, 1],
    ['^[\\]\\\\(|]+$', 1, 1],
    ['^(?=a+)b(?<!c?)$', 2, 1],
  ])('of %s is %d ways, and the length to the power of %d', (pattern, steps, power) => {
    expect(() => new RegExp(pattern, 'u')).not.toThrow();
    expect(patternWork(pattern)).toEqual({ steps, power });
  });

  it.each([
    '^(a+)+$',
    '^(a*)*$',
    '^(a|aa)+$',
    '^(a|a?)+$',
    '(.*a){20}',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(?:a?){3,}',
    '^(a)\\1$',
    '^(?<n>a)\\k<n>$',
  ])('of %s has no bound', (pattern) => {
    expect(() => new RegExp(pattern, 'u')).not.toThrow();
    expect(patternWork(pattern).steps).toBe(Infinity);
  });
});
