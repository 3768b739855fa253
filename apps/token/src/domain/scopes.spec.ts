import { type Scope, grantScopes, parseScope, formatScope } from './scopes.js';

const scopes = (...texts: string[]): Scope[] =>
  texts.map((text) => parseScope(text)).filter((scope): scope is Scope => scope !== undefined);

describe('parseScope', () => {
  it.each([
    ['PRUDENTIAL|PART1|R', 'PRUDENTIAL|PART1|R'],
    ['MARKETRECORDS|OPERATOR|DRUC', 'MARKETRECORDS|OPERATOR|CRUD'],
  ])('parses %s and formats %s', (text, written) => {
    expect(scopes(text).map(formatScope)).toEqual([written]);
  });

  it.each(['', 'A', 'A|P', 'A|P|', 'A||R', '|P|R', 'A|P|X', 'A|P|RR', 'A|P|R|R', 'A|P|r', 'A B|P|R'])(
    'refuses %j',
    (text) => {
      expect(parseScope(text)).toBeUndefined();
    },
  );
});

// document-001.spec.ts shows each sentence of the document.
describe('grantScopes', () => {
  const held = ['PRUDENTIAL|PART1|R', 'SETTLEMENT|PART1|CR', 'SETTLEMENT|PART2|R'];

  it.each([
    ['another participant', held, 'PRUDENTIAL|PART2|R', 'none-held'],
    ['another permission', held, 'PRUDENTIAL|PART1|D', 'none-held'],
    ['an account without scopes', [], undefined, 'none-held'],
    ['half a scope', held, 'PRUDENTIAL|PART1', 'malformed'],
    ['one malformed scope among good ones', held, 'PRUDENTIAL SETTLEMENT|PART1|X', 'malformed'],
  ])('refuses %s', (_, account, requested, reason) => {
    expect(grantScopes(scopes(...account), requested)).toEqual({ ok: false, reason });
  });
});
