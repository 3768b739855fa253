import { answerBody } from './answer-body.js';
import type { Content } from './latest.js';
import { unpack } from './loading/packed.js';

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

/** The answer around a document that is kept as text, if there is one. */
export async function plainBody(found: Promise<Content | undefined>): Promise<Uint8Array | undefined> {
  const document = await found;
  return typeof document === 'string' ? answerBody(document) : undefined;
}

/** The answer around a document that is kept packed, if there is one. */
export async function unpackedBody(found: Promise<Content | undefined>): Promise<Uint8Array | undefined> {
  const packed = await found;
  return packed instanceof Uint8Array ? answerBody(await unpack(packed)) : undefined;
}
