import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** The clock of a simulation. */
export interface Clock {
  now(): Date;
  /** Waits for a duration of the simulation's time. @throws the abort reason when the signal aborts */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** The real time. The speed shortens the waits only. */
export function realClock(speed: number): Clock {
  return { now: () => new Date(), wait: (ms, signal) => pause(ms / speed, signal) };
}

/** Starts at `start` and runs at the speed. At infinite speed it moves only by waits, which take no time. */
export function simulatedClock(start: Date, speed: number): Clock {
  if (speed === Infinity) return manualClock(start, (signal) => pause(0, signal));
  const startedMs = performance.now();
  return {
    now: () => new Date(start.getTime() + (performance.now() - startedMs) * speed),
    wait: (ms, signal) => pause(ms / speed, signal),
  };
}

/** The input of a stepped clock was closed. */
export class NoMoreStepsError extends Error {
  override readonly name = 'NoMoreStepsError';

  constructor() {
    super('no more steps: the input was closed');
  }
}

/**
 * Each wait lasts until the next line of the input. Without `start` the clock shows the real time.
 * @param signal stops reading the input
 */
export function steppedClock(input: NodeJS.ReadableStream, signal: AbortSignal, start?: Date): Clock {
  const lines = createInterface({ input, terminal: false, signal })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<void> => {
    const { done } = await lines.next();
    signal.throwIfAborted();
    if (done) throw new NoMoreStepsError();
  };
  return start === undefined ? { now: () => new Date(), wait: nextLine } : manualClock(start, nextLine);
}

function manualClock(start: Date, waitStep: (signal: AbortSignal) => Promise<void>): Clock {
  let nowMs = start.getTime();
  return {
    now: () => new Date(nowMs),
    wait: async (ms, signal) => {
      await waitStep(signal);
      nowMs += ms;
    },
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal });
}
