import type { Position } from '../ports/message-log.js';

/**
 * A place in a channel's stream: the sequence number, and when the stream was made (milliseconds of the epoch). A channel that is
 * removed and made again counts from one again; the second part keeps its positions and message ids apart from the former ones.
 */
export interface Place {
  readonly sequence: number;
  readonly made: number;
}

const PLACE = /^(\d+)-(\d+)$/;

export function toPosition({ sequence, made }: Place): Position {
  return `${made}-${sequence}` as Position;
}

/** @throws RangeError when it is none that `toPosition` made */
export function placeOf(position: Position): Place {
  const [, made, sequence] = PLACE.exec(position) ?? [];
  if (made === undefined || sequence === undefined) {
    throw new RangeError(`${position} is not a place in a stream`);
  }
  return { made: Number(made), sequence: Number(sequence) };
}

/** Whether `to` lies further on than `from`; a place in a stream made later does. */
export function isFurther(from: Place, to: Place): boolean {
  return to.made > from.made || (to.made === from.made && to.sequence > from.sequence);
}
