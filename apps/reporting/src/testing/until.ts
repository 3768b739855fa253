import { setTimeout as pause } from 'node:timers/promises';

/** Asks again and again until the condition holds; how long that may take is the test's own time-out. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(5);
}
