import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const TIMEOUT_MS = 60_000;
const MIN_INTERVAL_MS = 10;
const MAX_INTERVAL_MS = 100;
/** Share of the time waited so far. Long waits poll less often. */
const INTERVAL_FRACTION = 0.1;

type Missing = undefined | null | false;

/**
 * Polls until the result is something other than undefined, null or false, and returns it.
 * @param what what the error names; a function can describe the current state
 * @throws Error when there is no such result within `timeoutMs`
 */
export async function waitFor<T>(
  what: string | (() => string),
  poll: () => T | Promise<T>,
  timeoutMs = TIMEOUT_MS,
): Promise<Exclude<T, Missing>> {
  const startedAt = Date.now();
  for (;;) {
    const found = await poll();
    if (found !== undefined && found !== null && found !== false) return found as Exclude<T, Missing>;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs) {
      const missing = typeof what === 'string' ? what : what();
      throw new Error(`Timed out after ${timeoutMs} ms while waiting for ${missing}.`);
    }
    await delay(Math.min(Math.max(waitedMs * INTERVAL_FRACTION, MIN_INTERVAL_MS), MAX_INTERVAL_MS));
  }
}

/**
 * Waits until nothing listens on a loopback port. The listener stays open while a child process that is still starting holds a copy of its
 * descriptor.
 */
export async function waitForClosedPort(port: number): Promise<void> {
  await waitFor(`port ${port} to close`, () => isRefused(port));
}

async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED') return true;
    if (code === 'ECONNRESET') return false;
    throw error;
  } finally {
    socket.destroy();
  }
}
