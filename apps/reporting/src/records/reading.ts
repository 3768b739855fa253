/** A document to be found: whose it is decides which loads may change it, and the question tells it from the others. */
export interface DocumentKey {
  readonly scope: string;
  readonly question: string;
}

/** What documents are read through. `find` asks the database; what it answers may be kept until the scope is loaded into. */
export interface ReadThrough {
  read<T extends string | Uint8Array | undefined>(key: DocumentKey, find: () => Promise<T>): Promise<T>;
}

/** Asks the database each time. */
export const uncached: ReadThrough = { read: (_key, find) => find() };

/** The timeline is the market's; the rest a participant's own. */
export const TIMELINE_SCOPE = 'timeline';
export const scopeOf = (participant: string): string => `of ${participant}`;

/** The public notes of the prudential service: payloads of up to 10 MB. A client of ours takes 10 MiB, so what stands around them fits. */
export const LARGEST_WINDOW = 10_000_000;

/** What there is between two days would be a longer text than this service sends. */
export class WindowTooLargeError extends Error {
  override readonly name = 'WindowTooLargeError';

  constructor(
    readonly bytes: number,
    readonly allowed: number,
  ) {
    super(`what there is of these days is ${bytes} bytes long, and ${allowed} are allowed`);
  }
}

/** The answer around the documents of a window, put together by SQL that gives none over `LARGEST_WINDOW`. @throws WindowTooLargeError */
export function windowBody(found: FoundWindow | undefined, before: string, after: string): Uint8Array {
  const bytes = found?.bytes ?? 0;
  if (bytes > LARGEST_WINDOW) throw new WindowTooLargeError(bytes, LARGEST_WINDOW);
  return answerBody(`${before}${found?.documents ?? ''}${after}`);
}

export interface FoundWindow {
  readonly bytes: number;
  readonly documents: string | null;
}

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
