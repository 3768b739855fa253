import { setImmediate as nextTurn } from 'node:timers/promises';

/** Most rows and characters of one statement: they bound its memory, here and in the server. */
export const MOST_ROWS = 250;
const MOST_CHARACTERS = 512 * 1024;

/** The rows in their order, in portions of one statement each; a row that is larger than a portion is one by itself. */
export function* portions<Row>(rows: Iterable<Row>, sizeOf: (row: Row) => number): Generator<Row[]> {
  let portion: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    const size = sizeOf(row);
    if (portion.length > 0 && (portion.length >= MOST_ROWS || characters + size > MOST_CHARACTERS)) {
      yield portion;
      portion = [];
      characters = 0;
    }
    portion.push(row);
    characters += size;
  }
  if (portion.length > 0) yield portion;
}

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
