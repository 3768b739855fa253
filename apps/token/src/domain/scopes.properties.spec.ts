import fc from 'fast-check';
import {
  grantScopes,
  mergeScopes,
  parseScope,
  parseScopes,
  type Scope,
  formatScope,
  formatScopes,
} from './scopes.js';

const entity = fc.constantFrom('PRUDENTIAL', 'SETTLEMENT', 'MARKETRECORDS');
const participantId = fc.constantFrom('PART1', 'PART2', 'PART3');
const letters = fc.subarray(['C', 'R', 'U', 'D'] as const, { minLength: 1 });
const scope: fc.Arbitrary<Scope> = fc.record({ entity, participantId, permissions: letters });
const account = fc.array(scope, { minLength: 1, maxLength: 8 }).map(mergeScopes);
/** Items as a client may send them: an entity, or all three parts with the letters in any order. */
const item = fc.oneof(
  entity,
  fc
    .tuple(
      entity,
      participantId,
      letters.chain((some) => fc.shuffledSubarray(some, { minLength: some.length })),
    )
    .map(([name, id, some]) => `${name}|${id}|${some.join('')}`),
);
const request = fc.array(item, { minLength: 1, maxLength: 5 }).map((items) => items.join(' '));

/** Single rights, so that granted and held can be compared by an independent rule. */
const rightsOf = (scopes: readonly Scope[]): string[] =>
  scopes.flatMap(({ entity: name, participantId: id, permissions }) =>
    permissions.map((letter) => `${name}|${id}|${letter}`),
  );
const granted = (held: readonly Scope[], asked: string | undefined): readonly Scope[] => {
  const verdict = grantScopes(held, asked);
  return verdict.ok ? verdict.scopes : [];
};

describe('scopes, whatever they are', () => {
  it('are read back as they were written', () => {
    fc.assert(
      fc.property(account, (scopes) => {
        expect(parseScopes(formatScopes(scopes))).toEqual(scopes);
      }),
    );
  });

  it('are read from any text without a failure, and only in the written form', () => {
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom('A', '|', 'C', 'R', ' ', 'x')).map((c) => c.join('')),
    );
    fc.assert(
      fc.property(text, (given) => {
        const read = parseScope(given);
        if (read !== undefined) expect(parseScope(formatScope(read))).toEqual(read);
      }),
      { numRuns: 500 },
    );
  });

  it('are never granted beyond what is held', () => {
    fc.assert(
      fc.property(account, request, (held, asked) => {
        const rights = new Set(rightsOf(held));
        expect(rightsOf(granted(held, asked)).filter((right) => !rights.has(right))).toEqual([]);
      }),
    );
  });

  it('are never granted beyond what is asked for', () => {
    fc.assert(
      fc.property(account, request, (held, asked) => {
        const entities = asked.split(' ').map((each) => each.split('|')[0]);
        for (const { entity: name, permissions } of granted(held, asked)) {
          expect(entities).toContain(name);
          const items = asked.split(' ').filter((each) => each.split('|')[0] === name);
          const allowed = items.map((each) => each.split('|')[2] ?? 'CRUD').join('');
          expect(permissions.filter((letter) => !allowed.includes(letter))).toEqual([]);
        }
      }),
    );
  });

  it('are granted under every identifier that holds an entity asked for by name alone', () => {
    fc.assert(
      fc.property(account, entity, (held, asked) => {
        expect(granted(held, asked)).toEqual(held.filter(({ entity: name }) => name === asked));
      }),
    );
  });

  it('are all granted when none is asked for', () => {
    fc.assert(
      fc.property(account, fc.constantFrom(undefined, '', '   '), (held, asked) => {
        expect(granted(held, asked)).toEqual(held);
      }),
    );
  });

  it('are merged to one for each entity and identifier, with every right of before', () => {
    fc.assert(
      fc.property(fc.array(scope), (scopes) => {
        const merged = mergeScopes(scopes);
        const names = merged.map(({ entity: name, participantId: id }) => `${name}|${id}`);
        expect(new Set(names).size).toBe(names.length);
        expect(new Set(rightsOf(merged))).toEqual(new Set(rightsOf(scopes)));
      }),
    );
  });
});
