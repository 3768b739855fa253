import fc from 'fast-check';
import { grantScopes, mergeScopes, parseScope, type Scope, formatScope } from './scopes.js';

const entity = fc.constantFrom('PRUDENTIAL', 'SETTLEMENT', 'MARKETRECORDS');
const participantId = fc.constantFrom('PART1', 'PART2', 'PART3');
const letters = fc.subarray(['C', 'R', 'U', 'D'] as const, { minLength: 1 });
const scope: fc.Arbitrary<Scope> = fc.record({ entity, participantId, permissions: letters });
const account = fc.array(scope, { minLength: 1, maxLength: 8 }).map(mergeScopes);
/** Items of a request: an entity, or a full scope with its letters in any order. */
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

/** One text per permission, so that granted and held scopes can be compared. */
const listRights = (scopes: readonly Scope[]): string[] =>
  scopes.flatMap(({ entity: name, participantId: id, permissions }) =>
    permissions.map((letter) => `${name}|${id}|${letter}`),
  );
const granted = (held: readonly Scope[], requested: string | undefined): readonly Scope[] => {
  const verdict = grantScopes(held, requested);
  return verdict.ok ? verdict.scopes : [];
};

describe('any scopes', () => {
  it('are parsed from any text without an exception, and only in their format', () => {
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

  it('are granted only if the account holds them', () => {
    fc.assert(
      fc.property(account, request, (held, requested) => {
        const rights = new Set(listRights(held));
        expect(listRights(granted(held, requested)).filter((right) => !rights.has(right))).toEqual([]);
      }),
    );
  });

  it('are granted only if they are requested', () => {
    fc.assert(
      fc.property(account, request, (held, requested) => {
        const entities = requested.split(' ').map((each) => each.split('|')[0]);
        for (const { entity: name, permissions } of granted(held, requested)) {
          expect(entities).toContain(name);
          const items = requested.split(' ').filter((each) => each.split('|')[0] === name);
          const allowed = items.map((each) => each.split('|')[2] ?? 'CRUD').join('');
          expect(permissions.filter((letter) => !allowed.includes(letter))).toEqual([]);
        }
      }),
    );
  });
});
