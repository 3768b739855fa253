import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long other requests wait for a load at a time, milliseconds; one step of it is the least. */
const AT_A_STRETCH_MS = 5;

/** Long work in short stretches, so that whoever reads meanwhile has a turn in between. */
export class Turns {
  private began = performance.now();

  /** To be awaited between steps: lets others go first when the stretch has been long enough. */
  async between(): Promise<void> {
    if (performance.now() - this.began < AT_A_STRETCH_MS) return;
    await nextTurn();
    this.began = performance.now();
  }
}
