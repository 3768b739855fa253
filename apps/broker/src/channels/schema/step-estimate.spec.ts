import fc from 'fast-check';
import { estimatePatternSteps, estimateSchemaSteps } from './step-estimate.js';

/** What can be in a pattern of this test: `a` or `b`, one after the other, one of several, and repeated. */
type Part =
  | { readonly kind: 'letter'; readonly letter: string }
  | { readonly kind: 'group'; readonly alternatives: readonly (readonly Part[])[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly least: number; readonly most: number };

const { parts } = fc.letrec<{ part: Part; parts: Part[] }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3 },
    fc.record({ kind: fc.constant('letter' as const), letter: fc.constantFrom('a', 'b') }),
    fc.record({
      kind: fc.constant('group' as const),
      alternatives: fc.array(tie('parts'), { minLength: 1, maxLength: 3 }),
    }),
    fc
      .record({ part: tie('part'), least: fc.nat(2), more: fc.constantFrom(0, 1, 2, Infinity) })
      .filter(({ part }) => part.kind !== 'repeat')
      .map(({ part, least, more }) => ({ kind: 'repeat' as const, part, least, most: least + more })),
  ),
  parts: fc.array(tie('part'), { maxLength: 4 }),
}));

const written = (all: readonly Part[]): string => all.map(writtenPart).join('');

function writtenPart(part: Part): string {
  switch (part.kind) {
    case 'letter':
      return part.letter;
    case 'group':
      return `(${part.alternatives.map(written).join('|')})`;
    case 'repeat':
      return `${writtenPart(part.part)}{${part.least},${part.most === Infinity ? '' : part.most}}`;
  }
}

const MAX_COMPARISONS = 200_000;

/** Tries every way as ECMA 262 has it (RepeatMatcher), with an end that never fits; how many letters were compared. */
function comparisons(pattern: readonly Part[], text: string): number {
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
    if (times < repeat.most) {
      match([repeat.part], at, (end) => {
        if (end > at || times < repeat.least) again(repeat, times + 1, end, next);
      });
    }
    if (times >= repeat.least) next(at);
  };
  match(pattern, 0, () => undefined);
  return count;
}

describe('the steps of a pattern', () => {
  it('are never fewer than trying every way takes', () => {
    fc.assert(
      fc.property(parts, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 }), (pattern, text) => {
        const taken = comparisons(pattern, text);
        expect(estimatePatternSteps(`^${written(pattern)}`)(text.length)).toBeGreaterThanOrEqual(taken);
      }),
      { numRuns: 2_000 },
    );
  });

  // By hand: the pattern's length and one, its repetitions, its choices, and the text's length and one for each unbounded repetition.
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
  ])('of %s have no bound', (pattern) => {
    expect(() => new RegExp(pattern, 'u')).not.toThrow();
    expect(estimatePatternSteps(pattern)(1)).toBe(Infinity);
  });
});

describe('the steps of a schema', () => {
  it.each<[string, unknown, number]>([
    // The schema itself and its colons, commas and opening brackets, for eight characters and the end.
    ['keywords and entries', { type: 'object', required: ['n'] }, 5 * 9],
    ['a boolean', true, 9],
    ['a comparison of all items', { uniqueItems: true }, 2 * 9 + 4 * 81],
    ['an exact division', { multipleOf: 0.01 }, (2 + 1_024) * 9],
    ['a reference', { items: { $ref: '#' } }, Infinity],
  ])('count %s', (_, schema, expected) => {
    expect(estimateSchemaSteps(schema)(8)).toBe(expected);
  });
});
