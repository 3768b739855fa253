import { setTimeout as pause } from 'node:timers/promises';

const TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 10;

/**
 * Resolves once the condition holds.
 * @param what named in the error
 * @throws Error when it does not hold within a minute
 */
export async function waitFor(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Timed out while waiting for ${what}.`);
    await pause(POLL_INTERVAL_MS);
  }
}
