import { pause } from './pause.js';
import type { Steps } from './steps.js';

/** A play's clock: what moment it is in the market, and how long it takes until something else happens. */
export interface Clock {
  now(): Date;
  /**
   * Waits so long in the play's time. @param leastMs real milliseconds that a clock which follows the real one waits at least
   * @throws the abort reason as soon as the signal aborts
   */
  wait(ms: number, signal: AbortSignal, leastMs?: number): Promise<void>;
}

/** The real clock; the waits alone are shortened by the speed. */
export function realClock(speed: number): Clock {
  return {
    now: () => new Date(),
    wait: (ms, signal, leastMs = 0) => pause(Math.max(ms / speed, leastMs), signal),
  };
}

/** Begins at a moment of its own and runs at the speed; at infinite speed a wait takes no time and moves the clock. */
export function ownClock(start: Date, speed: number): Clock {
  if (speed === Infinity) return jumpingClock(start, (signal) => pause(0, signal));
  const began = performance.now();
  return {
    now: () => new Date(start.getTime() + (performance.now() - began) * speed),
    wait: (ms, signal) => pause(ms / speed, signal),
  };
}

/** Each wait ends with the next step, however long it was meant to take. Without a start it is what time it really is. */
export function steppedClock(steps: Steps, start?: Date): Clock {
  if (start !== undefined) return jumpingClock(start, (signal) => steps.next(signal));
  return { now: () => new Date(), wait: (_ms, signal) => steps.next(signal) };
}

function jumpingClock(start: Date, meanwhile: (signal: AbortSignal) => Promise<void>): Clock {
  let now = start.getTime();
  return {
    now: () => new Date(now),
    wait: async (ms, signal) => {
      await meanwhile(signal);
      now += Math.max(ms, 0);
    },
  };
}
