import { setTimeout as pause } from 'node:timers/promises';

/** Looks again and again until the look says yes; fails with what was waited for after five seconds. */
export async function eventually(what: string, look: () => boolean): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!look()) {
    if (Date.now() > deadline) throw new Error(`${what}: not within five seconds`);
    await pause(5);
  }
}
