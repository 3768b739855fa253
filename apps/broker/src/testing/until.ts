import { setTimeout as pause } from 'node:timers/promises';

/** Waits until a condition holds, looking often; fails with its last value after `timeoutMs`. */
export async function until<T>(
  look: () => T | Promise<T>,
  holds: (value: T) => boolean,
  timeoutMs = 20_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await look();
    if (holds(value)) return value;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(value)} after ${timeoutMs} ms`);
    await pause(5);
  }
}
