const BODY_START = '{"data":';
const BODY_END = '}';

/**
 * Builds the UTF-8 body of a 200 response: an object with the property `data` (document 000, Conventions 1).
 * Allocates outside the shared buffer pool, so that a cached body does not retain the pool.
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

/** PostgreSQL text cannot contain NUL, so no value contains the separator. */
const SEPARATOR = '\0';

/** Joins the values of a query into one key of a `BatchLoader`. */
export function toBatchKey(values: readonly string[]): string {
  return values.join(SEPARATOR);
}

/** Splits the keys of a batch into SQL parameters: one array for each column. */
export function toColumnParameters(keys: readonly string[], columnCount: number): (string | null)[][] {
  const rows = keys.map((key) => key.split(SEPARATOR));
  return Array.from({ length: columnCount }, (_, column) => rows.map((row) => row[column] ?? null));
}

/** Maps each key of a batch to its row. @param rows `position` is the index of the key, from 1 */
export function groupByKey<Row extends { readonly position: number }>(
  keys: readonly string[],
  rows: readonly Row[],
): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [keys[row.position - 1] ?? '', row]));
}
