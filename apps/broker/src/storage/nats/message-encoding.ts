import type { NewMessage, Position } from '../message-log.js';

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

const LINE_FEED = 10;

/**
 * A message as JetStream stores it: a line of JSON with everything but the payload, then the payload as it is, which may be large and is
 * not escaped for nothing. Not in headers: those take no arbitrary text, and would be told to every broker with each wake-up.
 */
export function toBody({ topic, sender, signature, correlationId, payload }: NewMessage): Uint8Array {
  const head =
    correlationId === undefined ? [topic, sender, signature] : [topic, sender, signature, correlationId];
  return Buffer.from(`${JSON.stringify(head)}\n${payload}`);
}

/** @throws SyntaxError when it is none that `toBody` made */
export function fromBody(body: Uint8Array): NewMessage {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const end = bytes.indexOf(LINE_FEED);
  const [topic = '', sender = '', signature = '', correlationId] = JSON.parse(
    bytes.toString('utf8', 0, end),
  ) as string[];
  const payload = bytes.toString('utf8', end + 1);
  return { topic, sender, signature, payload, ...(correlationId !== undefined && { correlationId }) };
}

const RFC_3339 = /^(.+?)(?:\.(\d{1,9}))?Z$/;

/**
 * Nanoseconds of the epoch from JetStream's timestamp (RFC 3339 in UTC, up to nine digits of a second), exact to the digit.
 * @throws RangeError for any other text
 */
export function nanosOfTimestamp(timestamp: string): bigint {
  const [, seconds, fraction = ''] = RFC_3339.exec(timestamp) ?? [];
  const milliseconds = seconds === undefined ? Number.NaN : Date.parse(`${seconds}Z`);
  if (Number.isNaN(milliseconds)) throw new RangeError(`${timestamp} is no timestamp of JetStream`);
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
