import { firstSince } from './stored-messages.js';

const SECOND = 1_000_000_000n;
const FIRST = 5;

/** Asks a stream whose first message has number 5 and whose messages were stored at these seconds; the `gone` first are gone meanwhile. */
async function since(seconds: readonly number[], instant: number, gone = 0): Promise<number> {
  const ends = { first: FIRST, last: FIRST + seconds.length - 1 };
  return firstSince(nanos(instant), ends, (sequence) => {
    const stored = sequence < FIRST + gone ? undefined : seconds[sequence - FIRST];
    return Promise.resolve(stored === undefined ? undefined : { timestampNanos: nanos(stored) });
  });
}

const nanos = (seconds: number): bigint => BigInt(Math.round(seconds * 1_000)) * (SECOND / 1_000n);

describe('the first message since an instant', () => {
  // The answer is that of an instant a second earlier, as clocks may step back so far.
  it.each([
    [0, 5],
    [11, 5],
    [11.5, 6],
    [21, 6],
    [30, 8],
    [31.001, 9],
  ])('%d s is looked for from number %d on', async (instant, number) => {
    expect(await since([10, 20, 20, 30], instant)).toBe(number);
  });

  it('is not one that retention took while it was looked for', async () => {
    expect(await since([10, 20, 20, 30], 0, 2)).toBe(7);
  });

  it('is not passed over where the clock was put back', async () => {
    // By halving for the instant itself, number 7 (9.6 s) would have hidden number 6.
    expect(await since([9, 10.4, 9.6, 9.7, 9.8, 12], 10.2)).toBeLessThanOrEqual(6);
  });

  it('is not passed over in any of many streams whose clock goes back by a second at most', async () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const random = numbersOf(seed);
      const seconds: number[] = [];
      let highest = 0;
      for (let at = 0; at < 40; at += 1) {
        seconds.push(Math.round((highest + random() * 2 - 1) * 1_000) / 1_000);
        highest = Math.max(highest, seconds[at] ?? 0);
      }
      const instant = Math.round(random() * highest * 1_000) / 1_000;
      const exact = seconds.findIndex((stored) => stored >= instant);
      expect({ seed, before: (await since(seconds, instant)) <= FIRST + exact }).toEqual({
        seed,
        before: true,
      });
    }
  });
});

/** Numbers from 0 to 1, the same ones for the same seed (Lehmer, modulus 2³¹ − 1, multiplier 48271). */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
