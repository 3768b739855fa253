import { backoffDelayMs, type Backoff } from '@ssb/net';

/*
 * A sink fails when it accepts none of several attempts in a row. It is then probed with one delivery at a time until it accepts one, which
 * ends the failure. A refusal counts as well, because a sink that refuses everything fails. A parked delivery that is refused again does not.
 */

/** Attempts in a row of which none was accepted. */
export interface FailureStreak {
  readonly failures: number;
  /** Epoch milliseconds of the first one. */
  readonly since: number;
}

export const MIN_FAILURES = 3;

/** A repaired sink is found within 15 s: an attempt that times out counts towards the pause. */
const PROBE_BACKOFF: Backoff = { baseMs: 1_000, maxMs: 14_000 };
const MIN_PROBE_PAUSE_MS = 500;

export function addFailure(streak: FailureStreak | undefined, at: number): FailureStreak {
  return { failures: (streak?.failures ?? 0) + 1, since: streak?.since ?? at };
}

export function isFailing(streak: FailureStreak | undefined): streak is FailureStreak {
  return streak !== undefined && streak.failures >= MIN_FAILURES;
}

/**
 * The pause after a failed probe.
 * @param failures since the sink fails, from 1
 * @param durationMs of the probe
 * @param random from 0 to 1
 */
export function probeDelayMs(failures: number, durationMs: number, random: number): number {
  return Math.max(MIN_PROBE_PAUSE_MS, backoffDelayMs(failures, PROBE_BACKOFF, random) - durationMs);
}
