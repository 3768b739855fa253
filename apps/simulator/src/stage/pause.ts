import { setTimeout } from 'node:timers/promises';

/** Waits. @throws the abort reason as soon as the signal aborts */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal });
}
