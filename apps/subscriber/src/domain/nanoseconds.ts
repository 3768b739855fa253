const NANOS_PER_MS = 1_000_000n;

/** Whole milliseconds of a time of the bus. */
export const toMilliseconds = (nanos: bigint): number => Number(nanos / NANOS_PER_MS);

/** @param ms whole milliseconds */
export const toNanoseconds = (ms: number): bigint => BigInt(ms) * NANOS_PER_MS;
