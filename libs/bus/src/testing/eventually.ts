import { setTimeout as pause } from 'node:timers/promises';

/** Looks again and again until the look says yes; fails with what was waited for after twenty seconds. */
export async function eventually(what: string, look: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!look()) {
    if (Date.now() > deadline) throw new Error(`${what}: not within twenty seconds`);
    await pause(5);
  }
}
