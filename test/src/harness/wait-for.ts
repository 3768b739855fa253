import { setTimeout as pause } from 'node:timers/promises';

/** Looks again and again until the condition holds. @throws Error with what `found` says when it never does */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
  found: () => string = () => 'the condition did not come true',
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`after ${timeoutMs} ms: ${found()}`);
    await pause(25);
  }
}
