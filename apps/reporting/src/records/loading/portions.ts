/** Most rows and characters of one statement: they bound its memory, here and in the server. */
const MAX_ROWS = 250;
const MAX_CHARACTERS = 512 * 1024;

/** The rows in their order, in portions of one statement each; a row that is larger than a portion is one by itself. */
export function* portions<Row>(rows: Iterable<Row>, sizeOf: (row: Row) => number): Generator<Row[]> {
  let portion: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    const size = sizeOf(row);
    if (portion.length > 0 && (portion.length >= MAX_ROWS || characters + size > MAX_CHARACTERS)) {
      yield portion;
      portion = [];
      characters = 0;
    }
    portion.push(row);
    characters += size;
  }
  if (portion.length > 0) yield portion;
}
