import { setTimeout as pause } from 'node:timers/promises';

/** Looks again and again until the look yields something; fails with what was waited for after the bound. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  boundMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + boundMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${boundMs} ms`);
    await pause(10);
  }
}
