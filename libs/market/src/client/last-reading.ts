import type { Reading } from '../resource.js';
import type { HttpAnswer } from './http-edge.js';

/** The last answer of an operation and what was read from it. A poll that gets the same answer again does not parse it again. */
export class LastReading<T> {
  private last: { readonly answer: HttpAnswer; readonly reading: Reading<T> } | undefined;

  /** What was read from this answer: by `read`, or the last time when it is the same answer. @throws what `read` throws */
  of(answer: HttpAnswer, read: () => Reading<T>): Reading<T> {
    if (this.last === undefined || !isSame(this.last.answer, answer)) this.last = { answer, reading: read() };
    return this.last.reading;
  }
}

function isSame(one: HttpAnswer, other: HttpAnswer): boolean {
  return one.mediaType === other.mediaType && Buffer.compare(one.bytes, other.bytes) === 0;
}
