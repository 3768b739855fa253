import fc from 'fast-check';
import { estimatePatternSteps, estimateSchemaSteps } from './step-estimate.js';

/** Mostly the same letter, because a text that hardly matches takes few steps. */
const LETTERS = fc.constantFrom('a', 'a', 'a', 'a', 'a', 'b');

/** A part of a generated pattern. */
type Part =
  | { readonly kind: 'letter'; readonly letter: string }
  | { readonly kind: 'group'; readonly alternatives: readonly (readonly Part[])[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly min: number; readonly max: number };

const { parts } = fc.letrec<{ part: Part; parts: Part[] }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3 },
    fc.record({ kind: fc.constant('letter' as const), letter: LETTERS }),
    fc.record({
      kind: fc.constant('group' as const),
      alternatives: fc.array(tie('parts'), { minLength: 1, maxLength: 3 }),
    }),
    fc
      .record({ part: tie('part'), min: fc.nat(2), more: fc.constantFrom(0, 1, 2, Infinity) })
      .filter(({ part }) => part.kind !== 'repeat')
      .map(({ part, min, more }) => ({ kind: 'repeat' as const, part, min, max: min + more })),
  ),
  parts: fc.array(tie('part'), { maxLength: 4 }),
}));

const formatPattern = (all: readonly Part[]): string => all.map(formatPart).join('');

function formatPart(part: Part): string {
  switch (part.kind) {
    case 'letter':
      return part.letter;
    case 'group':
      return `(${part.alternatives.map(formatPattern).join('|')})`;
    case 'repeat':
      return `${formatPart(part.part)}{${part.min},${part.max === Infinity ? '' : part.max}}`;
  }
}

const MAX_COMPARISONS = 200_000;

/** Counts the comparisons of a backtracking matcher (ECMA 262, RepeatMatcher) that never succeeds. */
function countComparisons(pattern: readonly Part[], text: string): number {
  let count = 0;
  const match = (all: readonly Part[], at: number, go: (at: number) => void): void => {
    const [first, ...rest] = all;
    if (first === undefined) return go(at);
    const next = (end: number): void => match(rest, end, go);
    if (count > MAX_COMPARISONS) return;
    switch (first.kind) {
      case 'letter':
        count += 1;
        if (text[at] === first.letter) next(at + 1);
        return;
      case 'group':
        for (const alternative of first.alternatives) match(alternative, at, next);
        return;
      case 'repeat':
        return again(first, 0, at, next);
    }
  };
  const again = (
    repeat: Extract<Part, { kind: 'repeat' }>,
    times: number,
    at: number,
    next: (at: number) => void,
  ): void => {
    if (count > MAX_COMPARISONS) return;
    if (times < repeat.max) {
      match([repeat.part], at, (end) => {
        if (end > at || times < repeat.min) again(repeat, times + 1, end, next);
      });
    }
    if (times >= repeat.min) next(at);
  };
  match(pattern, 0, () => undefined);
  return count;
}

describe('the estimated steps of a pattern', () => {
  it('are never fewer than the comparisons of a backtracking matcher', () => {
    fc.assert(
      fc.property(parts, fc.string({ unit: LETTERS, minLength: 6, maxLength: 12 }), (pattern, text) => {
        const taken = countComparisons(pattern, text);
        expect(estimatePatternSteps(`^${formatPattern(pattern)}`)(text.length)).toBeGreaterThanOrEqual(taken);
      }),
      { numRuns: 500 },
    );
  });

  // By hand: (pattern length + 1) × repetitions × choices × (text length + 1) for each unbounded repetition.
  it.each<[string, number]>([
    ['^abc$', 6],
    ['abc', 4 * 11],
    ['^[a-z*+?{]+$', 13 * 11],
    ['^a?b$', 6 * 2],
    ['^a{2,5}$', (9 + 5) * 4],
    ['^a{3}$', 7 + 3],
    ['^(ab){3}$', 10 * 3],
    ['^a*b*$', 7 * 121],
    ['^a|b$', 6 * 2 * 11],
    ['^\\*\\(\\|[\\]?\\\\(|]$', 18 * 11],
  ])('of %s over ten characters', (pattern, expected) => {
    expect(() => new RegExp(pattern, 'u')).not.toThrow();
    expect(estimatePatternSteps(pattern)(10)).toBe(expected);
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
  ])('of %s are infinite', (pattern) => {
    expect(() => new RegExp(pattern, 'u')).not.toThrow();
    expect(estimatePatternSteps(pattern)(1)).toBe(Infinity);
  });
});

describe('the estimated steps of a schema', () => {
  it.each<[string, unknown, number]>([
    // By hand: (1 + colons, commas and opening brackets) × (eight characters + 1).
    ['keywords and entries', { type: 'object', required: ['n'] }, 5 * 9],
    ['a boolean', true, 9],
    ['a comparison of all items', { uniqueItems: true }, 2 * 9 + 4 * 81],
    ['an exact division', { multipleOf: 0.01 }, (2 + 1_024) * 9],
    // 128 more for each colon, comma and opening bracket of the choice, and for the comma before it.
    ['a choice', { type: 'array', contains: { anyOf: [false, false] } }, (7 + 128 * 5) * 9],
    ['the same below', { items: { not: { enum: [1] } } }, (5 + 128 * 3) * 9],
    ['a refused pattern as other keywords', { items: { not: { pattern: 'a' } } }, (1 + 3) * 9],
    ['a reference', { items: { $ref: '#' } }, Infinity],
  ])('count %s', (_, schema, expected) => {
    expect(estimateSchemaSteps(schema)(8)).toBe(expected);
  });
});
