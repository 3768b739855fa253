/** Clocks with at most this difference agree. */
export const MAX_AGREED_DIFFERENCE_MS = 30_000;

/** Offsets of the local clock, milliseconds. Each is positive when the local clock is ahead. */
export interface KnownOffsets {
  /** Against the clocks whose facts are decided, the preferred one first. */
  readonly primary: readonly number[];
  /** Against an independent clock; undefined when it was not read. */
  readonly reference: number | undefined;
}

/** Which clock decides. `middle`: no two clocks agree, so the middle one of three decides, or the later one of two. */
export type DecidingClock = 'primary' | 'local' | 'middle';

export interface AgreedOffset {
  /** The time is the local clock less this, milliseconds. */
  readonly offsetMs: number;
  readonly by: DecidingClock;
}

/**
 * Decides the time of three clocks: the primary one when the reference or the local clock agrees with it, else the local one when the
 * reference agrees.
 */
export function agreeOnOffset({ primary, reference }: KnownOffsets): AgreedOffset {
  const confirming = reference === undefined ? [0] : [0, reference];
  const confirmed = primary.find((offset) => confirming.some((other) => agrees(offset, other)));
  if (confirmed !== undefined) return { offsetMs: confirmed, by: 'primary' };
  const [first] = primary;
  if (reference === undefined ? first === undefined : agrees(reference, 0))
    return { offsetMs: 0, by: 'local' };
  const offsets = [
    0,
    ...(first === undefined ? [] : [first]),
    ...(reference === undefined ? [] : [reference]),
  ];
  // The later of two clocks: nothing waits, and what is overdue is reported.
  const index = offsets.length === 3 ? 1 : 0;
  return { offsetMs: offsets.sort((a, b) => a - b)[index] ?? 0, by: 'middle' };
}

function agrees(a: number, b: number): boolean {
  return Math.abs(a - b) <= MAX_AGREED_DIFFERENCE_MS;
}
