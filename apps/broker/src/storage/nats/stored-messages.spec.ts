import { findFirstSince } from './stored-messages.js';

const SECOND = 1_000_000_000n;
const FIRST = 5;

/** Searches a stream from number 5 on, with messages stored at these seconds; the first ones are removed meanwhile. */
async function search(seconds: readonly number[], instant: number, removed = 0): Promise<number> {
  const ends = { first: FIRST, last: FIRST + seconds.length - 1 };
  return findFirstSince(nanos(instant), ends, (sequence) => {
    const stored = sequence < FIRST + removed ? undefined : seconds[sequence - FIRST];
    return Promise.resolve(stored === undefined ? undefined : { timestampNanos: nanos(stored) });
  });
}

const nanos = (seconds: number): bigint => BigInt(Math.round(seconds * 1_000)) * (SECOND / 1_000n);

describe('the search for the first message since an instant', () => {
  // The result is that of an instant a second earlier, as clocks may step back by a second.
  it.each([
    [0, 5],
    [11, 5],
    [11.5, 6],
    [21, 6],
    [30, 8],
    [31.001, 9],
  ])('for %d s returns number %d', async (instant, number) => {
    expect(await search([10, 20, 20, 30], instant)).toBe(number);
  });

  it('does not return a message that retention removed during the search', async () => {
    expect(await search([10, 20, 20, 30], 0, 2)).toBe(7);
  });

  it('does not skip a message where the clock was set back', async () => {
    // A binary search for the instant itself would skip number 6, as number 7 is at 9.6 s.
    expect(await search([9, 10.4, 9.6, 9.7, 9.8, 12], 10.2)).toBeLessThanOrEqual(6);
  });

  it('does not skip a message in streams whose clock steps back by a second at most', async () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const random = createRandom(seed);
      const seconds: number[] = [];
      let highest = 0;
      for (let at = 0; at < 40; at += 1) {
        seconds.push(Math.round((highest + random() * 2 - 1) * 1_000) / 1_000);
        highest = Math.max(highest, seconds[at] ?? 0);
      }
      const instant = Math.round(random() * highest * 1_000) / 1_000;
      const exact = seconds.findIndex((stored) => stored >= instant);
      expect({ seed, before: (await search(seconds, instant)) <= FIRST + exact }).toEqual({
        seed,
        before: true,
      });
    }
  });
});

/** Reproducible numbers from 0 to 1 (Lehmer, modulus 2³¹ − 1, multiplier 48271). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
