/** Bounds of one statement's memory, here and in the database server. */
const MAX_ROWS = 250;
const MAX_CHARACTERS = 512 * 1024;

/** Splits rows into batches of one statement each, in order. A row above the bound is a batch of its own. */
export function* splitIntoBatches<Row>(rows: Iterable<Row>, sizeOf: (row: Row) => number): Generator<Row[]> {
  let batch: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    const size = sizeOf(row);
    if (batch.length > 0 && (batch.length >= MAX_ROWS || characters + size > MAX_CHARACTERS)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(row);
    characters += size;
  }
  if (batch.length > 0) yield batch;
}
