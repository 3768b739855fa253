const BODY_START = '{"data":';
const BODY_END = '}';

/**
 * Makes the UTF-8 body of a 200 (document 000, Conventions 1: `data` and no other property).
 * The body has memory of its own, so that caching it retains no larger buffer.
 */
export function toResponseBody(document: string | Uint8Array): Uint8Array {
  const length = typeof document === 'string' ? Buffer.byteLength(document) : document.byteLength;
  const body = Buffer.allocUnsafeSlow(BODY_START.length + length + BODY_END.length);
  body.write(BODY_START, 0, 'latin1');
  if (typeof document === 'string') body.write(document, BODY_START.length, 'utf8');
  else body.set(document, BODY_START.length);
  body.write(BODY_END, BODY_START.length + length, 'latin1');
  return body;
}

/** SQL text cannot hold it, so no value contains it. */
const SEPARATOR = '\0';

/** Joins the values of a query to one key of a `BatchLoader`. */
export function toBatchKey(values: readonly string[]): string {
  return values.join(SEPARATOR);
}

/** Splits the keys of a batch into SQL parameters: one list a column. */
export function toColumnParameters(keys: readonly string[], columnCount: number): (string | null)[][] {
  const rows = keys.map((key) => key.split(SEPARATOR));
  return Array.from({ length: columnCount }, (_, column) => rows.map((row) => row[column] ?? null));
}

/** Maps the rows of a batch to their keys. @param rows each with the position of its key, from 1 */
export function groupByKey<Row extends { readonly position: number }>(
  keys: readonly string[],
  rows: readonly Row[],
): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [keys[row.position - 1] ?? '', row]));
}
