import fc from 'fast-check';
import { type RotationTimes, planKeys, type ScheduledKey, signingKeyAt } from './key-schedule.js';

const TIMES: RotationTimes = { rotateEveryMs: 1_000, publishAheadMs: 100, keepRetiredMs: 500 };
const key = (keyId: string, signsFrom: number): ScheduledKey => ({ keyId, signsFrom });

describe('planKeys', () => {
  it.each<[string, ScheduledKey[], number, object]>([
    ['creates the first key, which signs at once', [], 5, { create: { signsFrom: 5 }, remove: [] }],
    ['creates nothing while the key is new', [key('a', 0)], 899, { create: undefined, remove: [] }],
    [
      'creates the next key ahead of its start',
      [key('a', 0)],
      900,
      { create: { signsFrom: 1_000 }, remove: [] },
    ],
    [
      'creates nothing while the next key is published but does not sign',
      [key('a', 0), key('b', 1_000)],
      999,
      { create: undefined, remove: [] },
    ],
    [
      'publishes an overdue key ahead too',
      [key('a', 0)],
      5_000,
      { create: { signsFrom: 5_100 }, remove: [] },
    ],
    [
      'keeps a retired key while tokens need it',
      [key('a', 0), key('b', 1_000)],
      1_499,
      { create: undefined, remove: [] },
    ],
    ['removes a retired key', [key('a', 0), key('b', 1_000)], 1_500, { create: undefined, remove: ['a'] }],
  ])('%s', (_, keys, now, plan) => {
    expect(planKeys(keys, now, TIMES)).toEqual(plan);
  });
});

describe('a rotation at arbitrary intervals', () => {
  const intervals = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 40 });

  it('signs only with keys published long enough before, and keeps a key while its tokens are valid', () => {
    fc.assert(
      fc.property(intervals, (steps) => {
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
          if (keyId === undefined) throw new Error('there is no signing key');
          if (keyId !== 'key 0')
            expect(now - (publishedAt.get(keyId) ?? now)).toBeGreaterThanOrEqual(TIMES.publishAheadMs);
          tokens.push({ keyId, endsAt: now + TIMES.keepRetiredMs });
          const needed = tokens.filter(({ endsAt }) => endsAt > now).map((token) => token.keyId);
          expect(keys.map((each) => each.keyId)).toEqual(expect.arrayContaining(needed));
          expect(keys.length).toBeLessThanOrEqual(3);
        }
      }),
      { numRuns: 60 },
    );
  });
});
