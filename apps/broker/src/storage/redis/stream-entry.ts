import type { LogEntry, NewMessage, Position } from '../message-log.js';

/** An entry as Redis gives it. */
export type RawEntry = readonly [id: string, fields: readonly string[]];

/** A Redis stream id `<milliseconds>-<number within the millisecond>`. */
const STREAM_ID = /^(\d+)-(\d+)$/;

/** Nanoseconds of the epoch, exact: milliseconds × 10⁶ + the number within the millisecond, so that it rises with the id. */
export function nanosOf(position: Position): bigint {
  const [, milliseconds, sequence] = STREAM_ID.exec(position) ?? [];
  if (milliseconds === undefined || sequence === undefined) {
    throw new RangeError(`${position} is not the id of a stream entry`);
  }
  return BigInt(milliseconds) * 1_000_000n + BigInt(sequence);
}

export function millisecondsOf(position: Position): number {
  return Number(position.slice(0, position.indexOf('-')));
}

/** Whether `a` stands behind `b` in the log. */
export function isBehind(a: Position, b: Position): boolean {
  return nanosOf(a) > nanosOf(b);
}

/** The entry before this one when it was appended, gone or not; undefined for one that was written before entries said so. */
export function predecessorOf([, fields]: RawEntry): Position | undefined {
  return fields[0] === 'after' ? (fields[1] as Position) : undefined;
}

/** The fields of an entry, in an order that never changes: Redis stores equal field names of neighbours once. */
export function toFields(message: NewMessage): string[] {
  const { topic, sender, signature, payload, correlationId } = message;
  const fields = ['topic', topic, 'sender', sender, 'signature', signature, 'payload', payload];
  return correlationId === undefined ? fields : [...fields, 'correlationId', correlationId];
}

export function toEntry([id, fields]: RawEntry): LogEntry {
  const values: Record<string, string> = {};
  for (let at = 0; at + 1 < fields.length; at += 2) values[fields[at] ?? ''] = fields[at + 1] ?? '';
  const position = id as Position;
  const { topic = '', sender = '', signature = '', payload = '', correlationId } = values;
  return {
    position,
    timestampNanos: nanosOf(position),
    topic,
    sender,
    signature,
    payload,
    ...(correlationId !== undefined && { correlationId }),
  };
}
