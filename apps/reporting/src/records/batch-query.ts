/** A document to be found: whose it is decides which loads may change it, and the question tells it from the others. */
export interface DocumentKey {
  readonly scope: string;
  readonly question: string;
}

/** What documents are read through. `find` queries the database; what it answers may be kept until the scope is loaded into. */
export interface ReadThrough {
  read<T extends string | Uint8Array | undefined>(key: DocumentKey, find: () => Promise<T>): Promise<T>;
}

/** Queries the database each time. */
export const uncached: ReadThrough = { read: (_key, find) => find() };

/** The timeline is the market's; the rest a participant's own. */
export const TIMELINE_SCOPE = 'timeline';
export const scopeOf = (participant: string): string => `of ${participant}`;

const BEFORE = '{"data":';
const AFTER = '}';

/**
 * The body of a 200 around a document (document 000, Conventions 1: `data` and no other property), as UTF-8. It is made when the document
 * is read, so that a kept one is sent as it lies; and in memory of its own, so that keeping it keeps nothing else.
 */
export function answerBody(document: string | Uint8Array): Uint8Array {
  const length = typeof document === 'string' ? Buffer.byteLength(document) : document.byteLength;
  const body = Buffer.allocUnsafeSlow(BEFORE.length + length + AFTER.length);
  body.write(BEFORE, 0, 'latin1');
  if (typeof document === 'string') body.write(document, BEFORE.length, 'utf8');
  else body.set(document, BEFORE.length);
  body.write(AFTER, BEFORE.length + length, 'latin1');
  return body;
}

/** No SQL text can hold it, so no part of a question does. */
const BETWEEN = '\0';

/** The parts of a question as one key of a `BatchLoader`. */
export function questionKey(parts: readonly string[]): string {
  return parts.join(BETWEEN);
}

/** The parts of many questions as parameters of one statement: a list for each part. */
export function columnsOf(questions: readonly string[], count: number): (string | null)[][] {
  const parts = questions.map((question) => question.split(BETWEEN));
  return Array.from({ length: count }, (_, column) => parts.map((part) => part[column] ?? null));
}

/** The rows of many answers, by their question. */
export function byQuestion<Row extends { readonly place: number }>(
  questions: readonly string[],
  rows: readonly Row[],
): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [questions[row.place - 1] ?? '', row]));
}
