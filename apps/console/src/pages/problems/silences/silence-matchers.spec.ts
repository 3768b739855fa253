import {
  coversNothing,
  coversProblem,
  describeMatchers,
  explainSilence,
  matchersFor,
} from './silence-matchers.js';

type Facts = Parameters<typeof coversProblem>[1];

const MARGIN: Facts = {
  kind: 'margin',
  key: 'ALPHA/prudential',
  participant: 'ALPHA',
  figures: {},
  severity: 'critical',
};
const FAULT: Facts = {
  ...MARGIN,
  kind: 'bridge-fault',
  key: '*/bridge/subscriber/sink-failing/treasury',
  participant: '*',
};

it('covers the kind and the participant of a problem', () => {
  expect(matchersFor(MARGIN)).toEqual({ problems: ['margin'], participants: ['ALPHA'] });
  expect(matchersFor(FAULT)).toEqual({ problems: ['bridge-fault'], reasons: ['sink-failing'] });
  expect(matchersFor({ ...FAULT, key: '*/bridge/x/unknown' })).toEqual({ problems: ['bridge-fault'] });
});

it.each([
  [{ problems: ['margin'], participants: ['ALPHA'] }, 'trading margin, of ALPHA'],
  [
    { problems: ['margin', 'credit-support'], severities: ['warning'] },
    'trading margin or credit support, of severity warning',
  ],
  [{ types: ['payment.*'] }, 'everything, from events payment.*'],
  [
    { problems: ['bridge-fault'], reasons: ['sink-failing'] },
    'fault of the bridge, with the reason sink failing',
  ],
] as const)('describes %p', (matchers, text) => {
  expect(describeMatchers(matchers)).toBe(text);
});

it('says what is hidden and what is not', () => {
  const text = explainSilence({ problems: ['margin'], participants: ['ALPHA'] }).join(' ');
  expect(text).toContain('about: trading margin, of ALPHA.');
  expect(text).toContain('Critical ones are hidden');
  expect(text).toContain('Faults of the bridge are still reported.');
  expect(text).toContain('What concerns all participants is still reported.');
  const other = explainSilence({ reasons: ['sink-failing'], severities: ['warning'] }).join(' ');
  expect(other).not.toMatch(/Critical|Faults of the bridge|all participants/);
});

it.each<[Parameters<typeof coversProblem>[0], Facts, boolean]>([
  [{ problems: ['margin'] }, MARGIN, true],
  [{ problems: ['credit-support'] }, MARGIN, false],
  [{ participants: ['ALPHA'], severities: ['critical'] }, MARGIN, true],
  [{ participants: ['BETA'] }, MARGIN, false],
  [{ severities: ['warning'] }, MARGIN, false],
  [{ severities: ['critical'] }, FAULT, false],
  [{ problems: ['bridge-fault'], severities: [] }, FAULT, true],
  [{ reasons: ['sink-failing'] }, FAULT, true],
  [{ reasons: ['clock-offset'] }, FAULT, false],
  [{ reasons: ['sink-failing'], participants: ['ALPHA'] }, FAULT, false],
  [{ types: ['margin.*'] }, MARGIN, false],
])('a silence with %j', (matchers, problem, covered) => {
  expect(coversProblem(matchers, problem)).toBe(covered);
});

it('knows a silence of nothing', () => {
  expect([coversNothing({}), coversNothing({ types: [] }), coversNothing({ types: ['margin.*'] })]).toEqual([
    true,
    true,
    false,
  ]);
});
