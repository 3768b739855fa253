import { faultsOf, hasFilter, readChoices, readTime, splitList, withoutFilters } from './search-values.js';

const COLOURS = ['red', 'green', 'blue'] as const;

it('reads the choices of an address, and explains what is not one', () => {
  expect(readChoices('colour', 'blue,red', COLOURS)).toEqual({ value: ['red', 'blue'] });
  expect(readChoices('colour', undefined, COLOURS)).toEqual({ value: undefined });
  const { value, fault } = readChoices('colour', 'red,pink', COLOURS);
  expect(value).toEqual(['red']);
  expect(fault).toBe('The colour “pink” does not exist and is ignored. Allowed: red, green, blue.');
});

it.each([
  ['2026-11-30', '2026-11-30T00:00:00+08:00'],
  ['2026-11-30T10:00:00Z', '2026-11-30T10:00:00Z'],
  ['2026-11-30T10:00+08:00', '2026-11-30T10:00+08:00'],
  ['2026-11-30T10:00', undefined],
  ['2026-13-45', undefined],
  ['2026-02-31', undefined],
  ['2026-02-31T10:00:00Z', undefined],
  ['yesterday', undefined],
])('reads the time %s', (text, time) => {
  const read = readTime('since', text);
  expect(read.value).toBe(time);
  expect(faultsOf(read)).toHaveLength(time === undefined ? 1 : 0);
});

it('knows which filters the address has, and removes them', () => {
  expect(hasFilter({ state: '', other: 'x' }, ['state', 'kind'])).toBe(false);
  expect(hasFilter({ kind: 'margin' }, ['state', 'kind'])).toBe(true);
  expect(withoutFilters(['kind'])).toEqual({ kind: undefined });
});

it('reads a list without repeats', () => {
  expect(splitList(' ALPHA, BETA,,ALPHA ')).toEqual(['ALPHA', 'BETA']);
});
