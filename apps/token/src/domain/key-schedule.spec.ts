import fc from 'fast-check';
import { type RotationTimes, planKeys, type ScheduledKey, signingKeyAt } from './key-schedule.js';

const TIMES: RotationTimes = { rotateEveryMs: 1_000, publishAheadMs: 100, keepRetiredMs: 500 };
const key = (keyId: string, signsFrom: number): ScheduledKey => ({ keyId, signsFrom });

describe('planKeys', () => {
  it.each<[string, ScheduledKey[], number, object]>([
    ['the first key, to sign at once', [], 5, { create: { signsFrom: 5 }, remove: [] }],
    ['nothing while the key is young', [key('a', 0)], 899, { create: undefined, remove: [] }],
    ['the next key ahead of its time', [key('a', 0)], 900, { create: { signsFrom: 1_000 }, remove: [] }],
    ['nothing while the next waits', [key('a', 0), key('b', 1_000)], 999, { create: undefined, remove: [] }],
    [
      'a late key, published ahead all the same',
      [key('a', 0)],
      5_000,
      { create: { signsFrom: 5_100 }, remove: [] },
    ],
    [
      'nothing while a retired key is needed',
      [key('a', 0), key('b', 1_000)],
      1_499,
      { create: undefined, remove: [] },
    ],
    ['the end of a retired key', [key('a', 0), key('b', 1_000)], 1_500, { create: undefined, remove: ['a'] }],
  ])('wants %s', (_, keys, now, plan) => {
    expect(planKeys(keys, now, TIMES)).toEqual(plan);
  });
});

describe('signingKeyAt', () => {
  const keys = [key('b', 1_000), key('a', 0)];

  it.each([
    [-1, 'a'],
    [0, 'a'],
    [999, 'a'],
    [1_000, 'b'],
    [9_999, 'b'],
  ])('at %i is %s', (now, expected) => {
    expect(signingKeyAt(keys, now)?.keyId).toBe(expected);
  });
});

describe('whenever it is looked at', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 80 });

  it('a key signs only after it was published long enough, and is there while a token of its lives', () => {
    fc.assert(
      fc.property(pauses, (steps) => {
        let now = 0;
        let keys: ScheduledKey[] = [];
        const publishedAt = new Map<string, number>();
        const tokens: { keyId: string; endsAt: number }[] = [];
        for (const step of steps) {
          now += step;
          const { create, remove } = planKeys(keys, now, TIMES);
          keys = keys.filter(({ keyId }) => !remove.includes(keyId));
          if (create !== undefined) {
            const made = key(`key ${publishedAt.size}`, create.signsFrom);
            publishedAt.set(made.keyId, now);
            keys.push(made);
          }
          expect(planKeys(keys, now, TIMES)).toEqual({ create: undefined, remove: [] });
          const { keyId } = signingKeyAt(keys, now) ?? {};
          if (keyId === undefined) throw new Error('nothing signs');
          if (keyId !== 'key 0')
            expect(now - (publishedAt.get(keyId) ?? now)).toBeGreaterThanOrEqual(TIMES.publishAheadMs);
          tokens.push({ keyId, endsAt: now + TIMES.keepRetiredMs });
          for (const token of tokens.filter(({ endsAt }) => endsAt > now))
            expect(keys.map((each) => each.keyId)).toContain(token.keyId);
          expect(keys.length).toBeLessThanOrEqual(3);
        }
      }),
      { numRuns: 300 },
    );
  });
});
