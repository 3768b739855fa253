import fc from 'fast-check';
import { patternWork } from './pattern-work.js';

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

const PATIENCE = 200_000;

/** Tries every way as ECMA 262 has it (RepeatMatcher), with an end that never fits; how many letters were compared. */
function comparisons(pattern: readonly Part[], text: string): number {
  let count = 0;
  const match = (all: readonly Part[], at: number, go: (at: number) => void): void => {
    const [first, ...rest] = all;
    if (first === undefined) return go(at);
    const next = (end: number): void => match(rest, end, go);
    if (count > PATIENCE) return;
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
    if (count > PATIENCE) return;
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

const stepsOver = (length: number, pattern: string): number =>
  patternWork(pattern).reduce((sum, each, power) => sum + each * length ** power, 0);

describe('the work of a pattern', () => {
  it('is never less than what trying every way takes', () => {
    fc.assert(
      fc.property(parts, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 }), (pattern, text) => {
        const taken = comparisons(pattern, text);
        expect(stepsOver(text.length + 1, `^${written(pattern)}`)).toBeGreaterThanOrEqual(taken);
      }),
      { numRuns: 2_000 },
    );
  });

  // By hand: one for the beginning and one for each part, as often as the parts before it can end in different ways.
  it.each<[string, number[]]>([
    ['^', [2]],
    ['^abc$', [6]],
    ['abc', [0, 4]],
    ['^[a-z*+?{]+$', [3, 2]],
    ['^a?b$', [3 + 2 + 2]],
    ['^a{2,5}$', [3 + 4 + 4]],
    ['^a{3}$', [3 + 2 + 1]],
    ['^a*b*$', [3, 1 + 1, 1 + 1]],
    ['^\\p{L}\\u{1F600}\\u00e9\\x41\\cA\\0\\(\\|[\\]\\\\(|]$', [12]],
  ])('of %s is %j', (pattern, expected) => {
    expect(() => new RegExp(pattern, 'u')).not.toThrow();
    expect(patternWork(pattern)).toEqual(expected);
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
    expect(patternWork(pattern)).toEqual([Infinity]);
  });

  it.each([
    '^(?:ab){2,}$',
    '^([0-9a-f]{4}-){3}$',
    '^-?(0|[1-9]\\d*)(\\.\\d+)?$',
    '^a|b$',
    '^(?=a+)b(?<!c?)$',
  ])('of %s has one', (pattern) => {
    expect(() => new RegExp(pattern, 'u')).not.toThrow();
    expect(stepsOver(1_000, pattern)).toBeLessThan(Infinity);
  });
});
