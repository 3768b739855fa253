/** A repeatable source of numbers. */
export interface Random {
  /** A whole number from `min` to `max`, both included. */
  between(min: bigint, max: bigint): bigint;
}

/**
 * Numbers that depend on the seed parts alone: the same parts give the same numbers on every machine. FNV-1a over the parts seeds
 * splitmix64. Not for secrets.
 */
export function createRandom(...seedParts: readonly (string | number)[]): Random {
  let state = fnv1a(seedParts.join('\u0000'));
  const next = (): bigint => {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let z = state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  };
  return { between: (min, max) => min + (next() % (max - min + 1n)) };
}

function fnv1a(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash;
}

/** Weights of the 24 hours of a day: low at night, highest in the early evening. */
const HOUR_WEIGHTS = [
  60, 55, 52, 50, 52, 60, 80, 100, 95, 85, 78, 72, 70, 72, 78, 90, 110, 130, 140, 135, 120, 100, 85, 70,
];

/** One weight per interval of a day, each up to ten per cent off its hour's weight. */
export function dayProfile(intervals: number, random: Random): bigint[] {
  return Array.from({ length: intervals }, (_, index) => {
    const weight = HOUR_WEIGHTS[Math.floor((index * HOUR_WEIGHTS.length) / intervals)] ?? 1;
    return BigInt(weight) * random.between(90n, 110n);
  });
}
