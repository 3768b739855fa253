import { setTimeout as pause } from 'node:timers/promises';
import type { Progress } from '../report/progress.js';
import type { ProcessName } from './layout.js';
import type { System } from './system.js';

const PAUSE_MS = 1_000;

/** Starts an app again that ended without having been asked to, as a cluster would. */
export function supervise(system: System, name: ProcessName, how: string, progress: Progress): void {
  progress.note(`${name} ended unexpectedly (${how}); starting it again. Its log tells why.`);
  void restart(system, name, progress);
}

async function restart(system: System, name: ProcessName, progress: Progress): Promise<void> {
  while (!system.stopped) {
    await pause(PAUSE_MS);
    try {
      if (!system.stopped) await system.process(name).start();
      return;
    } catch (error) {
      if (!system.stopped) progress.note(error instanceof Error ? error.message : String(error));
    }
  }
}
