import { createHash } from 'node:crypto';
import { CATALOGUE } from './catalogue.js';
import { definitionOf } from './definitions.js';
import { EVENT_TYPES, type EventType } from './envelope/event-type.js';
import { fillTemplate, TEMPLATE_FILTERS } from './identity.js';
import type { JsonSchema } from './types/json-schema.js';
import { FURTHER_EVENTS, SIGNED_EVENTS } from '../test/sample-events.js';

describe('fillTemplate', () => {
  it.each<[template: string, members: object, expected: string]>([
    ['', {}, ''],
    ['1', {}, '1'],
    ['{a}|{b.c}', { a: 'x', b: { c: 7 } }, 'x|7'],
    ['{a}', { a: '{b}[c]' }, '{b}[c]'],
    ['{a}', { a: '' }, ''],
    ['{a}[|{b}]', { a: 1, b: 0 }, '1|0'],
    ['{a}[|{b}]', { a: 1 }, '1'],
    ['{a}[|{b.c}][|{d}]', { a: 1, d: 2 }, '1|2'],
    ['[{a}/{b}]', { a: 1 }, ''],
    ['{sequence}', { sequence: 1_772_417_731_007n }, '1772417731007'],
    ['{a:day}', { a: '2026-03-01T00:00:00' }, '2026-03-01'],
    ['{a:milliseconds}', { a: '2026-03-01T00:00:00' }, '2026-03-01T00:00:00.000'],
    ['{a:milliseconds}', { a: '2026-03-01T00:00:00.1' }, '2026-03-01T00:00:00.100'],
    ['{a:milliseconds}', { a: '2026-03-01T00:00:00.123999999' }, '2026-03-01T00:00:00.123'],
    ['{a:amount}', { a: '100' }, '100'],
    ['{a:amount}', { a: '100.00' }, '100'],
    ['{a:amount}', { a: '-0.50' }, '-0.5'],
    ['{a:amount}', { a: '10.01' }, '10.01'],
    ['{a:calculation}', { a: true }, 'forecast'],
    ['{a:calculation}', { a: false }, 'actual'],
    ['{a:count}', { a: 3 }, '3'],
    ['{a:count}', {}, '0'],
    ['x[ {test:name}]', { test: true }, 'x test'],
    ['x[ {test:name}]', {}, 'x'],
  ])('%s of %o', (template, members, expected) => {
    expect(fillTemplate(template, members)).toBe(expected);
  });

  it.each([
    ['{a}|{b}', /is absent/],
    ['{b.c}', /is absent/],
    ['{a:other}', /There is no filter other/],
    ['{a', /malformed/],
    ['[{a}', /malformed/],
    ['a]', /malformed/],
  ])('throws for %s', (template, problem) => {
    expect(() => fillTemplate(template, { a: 1 })).toThrow(problem);
  });
});

/** Each member of the templates of a type, and whether it may be absent there. */
function listMembers(type: EventType) {
  const { key, version, subject } = definitionOf(type).identity;
  return [key, version, subject].flatMap((template) =>
    template.split(/(\[[^\]]+\])/).flatMap((part) =>
      [...part.matchAll(/\{(?<path>[^:}]+):?(?<filter>[^}]*)\}/g)].map(({ groups = {} }) => ({
        path: groups['path'] ?? '',
        mayBeAbsent: part.startsWith('[') || groups['filter'] === 'count',
      })),
    ),
  );
}

/** Whether the schema requires the member of `data`; undefined when it has no such member. */
function isRequired(schema: JsonSchema, [name, ...rest]: readonly string[]): boolean | undefined {
  if (name === undefined) return true;
  const { properties = {}, required } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required: readonly string[];
  };
  const member = properties[name];
  return member && isRequired(member, rest) && required.includes(name);
}

it('each member is one of the schema, which requires those that are not in brackets', () => {
  const wrong = CATALOGUE.flatMap(({ type, schema }) => {
    const { data = {} } = schema['properties'] as Readonly<Record<string, JsonSchema>>;
    expect(isRequired(data, ['participant']) ?? isRequired(data, ['sequence'])).toBeUndefined();
    return listMembers(type)
      .filter(({ path }) => path !== 'participant' && path !== 'sequence')
      .filter(({ path, mayBeAbsent }) => {
        const required = isRequired(data, path.split('.'));
        return required === undefined || (!required && !mayBeAbsent);
      })
      .map(({ path }) => `${type}: ${path}`);
  });
  expect(wrong).toEqual([]);
});

it('each filter has a meaning of one sentence', () => {
  const wrong = Object.entries(TEMPLATE_FILTERS).filter(([, { meaning }]) => !/^[^.]+\.$/.test(meaning));
  expect(wrong).toEqual([]);
});

// A change here means other ids, so each subscriber archives known facts again.
it('the ids and subjects of all samples are those of earlier versions', () => {
  const all = [...EVENT_TYPES.map((type) => SIGNED_EVENTS[type]), ...FURTHER_EVENTS];
  const lines = all.map(({ id, subject }) => `${id} ${subject}\n`);
  expect(createHash('sha256').update(lines.join('')).digest('hex')).toBe(
    'af4fdd9fa1c9400cf216f21d470d122f64b08da2738356507b661c56df644686',
  );
});
