import { setTimeout as delay } from 'node:timers/promises';

const TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 10;

type Missing = undefined | null | false;

/**
 * Looks until the result is something other than undefined, null or false, and returns it.
 * @param what named in the error; a function can show what there is instead
 * @throws Error when there is no such result within `timeoutMs`
 */
export async function waitFor<T>(
  what: string | (() => string),
  look: () => T | Promise<T>,
  timeoutMs = TIMEOUT_MS,
): Promise<Exclude<T, Missing>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found as Exclude<T, Missing>;
    if (Date.now() > deadline) {
      const missing = typeof what === 'string' ? what : what();
      throw new Error(`Timed out after ${timeoutMs} ms while waiting for ${missing}.`);
    }
    await delay(POLL_INTERVAL_MS);
  }
}
