/** A repeatable source of numbers. */
export interface Chance {
  /** A whole number from `least` to `most`, both included. */
  between(least: bigint, most: bigint): bigint;
}

/**
 * Numbers that depend on nothing but the parts: the same parts give the same row on every machine. For looks, never
 * for secrets. (FNV-1a over the parts seeds splitmix64.)
 */
export function chanceOf(...parts: readonly (string | number)[]): Chance {
  let state = fnv1a(parts.join('\u0000'));
  const next = (): bigint => {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let z = state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  };
  return { between: (least, most) => least + (next() % (most - least + 1n)) };
}

function fnv1a(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash;
}

/** Weights of the 24 hours of an ordinary day: low at night, highest in the early evening. */
const HOURS = [
  60, 55, 52, 50, 52, 60, 80, 100, 95, 85, 78, 72, 70, 72, 78, 90, 110, 130, 140, 135, 120, 100, 85, 70,
];

/** One weight for each of the day's equal intervals, with ten per cent of noise. */
export function dayShape(intervals: number, chance: Chance): bigint[] {
  return Array.from({ length: intervals }, (_, index) => {
    const hour = HOURS[Math.floor((index * HOURS.length) / intervals)] ?? 1;
    return BigInt(hour) * chance.between(90n, 110n);
  });
}
