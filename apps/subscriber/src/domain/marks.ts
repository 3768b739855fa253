import { toNanoseconds } from './nanoseconds.js';

/** What a reader must know in addition to the event, in the order of a list of marks. */
export const MARKS = [
  /** The fact was published, or the event was signed, long before the subscriber archived it. */
  'late',
  /** The bus appended the message before the event was signed, so one of the two clocks is wrong. */
  'clockSkew',
  /** The subscriber wrote the event itself, so it has no signature. */
  'local',
] as const;

export type Mark = (typeof MARKS)[number];

/** Stands for channel, sender and origin of an event that was not on the bus, and marks it. */
export const LOCAL = 'local';

/** Each mark once, in the order of `MARKS`. */
export function joinMarks(...lists: readonly (readonly Mark[])[]): readonly Mark[] {
  return MARKS.filter((mark) => lists.some((list) => list.includes(mark)));
}

export interface ClockLimits {
  /** How far the bus's clock may be behind the publisher's, milliseconds. */
  readonly skewMs: number;
  /** How long after the signature the bus may append the message, milliseconds. */
  readonly maxAgeMs: number;
}

/**
 * Compares the time of the signature with the time at which the bus appended the message. The subscriber's clock is not used, so a message
 * that waited on the bus gets no mark.
 * @param signedAtMs epoch milliseconds
 * @param appendedAtNanos the bus's timestamp, epoch nanoseconds
 */
export function clockMarks(
  signedAtMs: number,
  appendedAtNanos: bigint,
  { skewMs, maxAgeMs }: ClockLimits,
): readonly Mark[] {
  if (appendedAtNanos < toNanoseconds(signedAtMs - skewMs)) return ['clockSkew'];
  return appendedAtNanos > toNanoseconds(signedAtMs + maxAgeMs) ? ['late'] : [];
}
