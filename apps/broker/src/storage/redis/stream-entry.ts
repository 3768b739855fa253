import type { LogEntry, NewMessage, Offset } from '../message-log.js';

/** An entry of a Redis stream, as ioredis returns it. */
export type RawEntry = readonly [id: string, fields: readonly string[]];

/** A Redis stream id `<milliseconds>-<sequence within the millisecond>`. */
const STREAM_ID = /^(\d+)-(\d+)$/;

/** Epoch nanoseconds: milliseconds × 10⁶ + the sequence, so that the value increases with the id. */
export function toNanos(offset: Offset): bigint {
  const [, milliseconds, sequence] = STREAM_ID.exec(offset) ?? [];
  if (milliseconds === undefined || sequence === undefined) {
    throw new RangeError(`${offset} is not the id of a stream entry`);
  }
  return BigInt(milliseconds) * 1_000_000n + BigInt(sequence);
}

/** Epoch milliseconds. */
export function toMilliseconds(offset: Offset): number {
  return Number(offset.slice(0, offset.indexOf('-')));
}

/** Whether `a` comes after `b` in the log. */
export function isAfter(a: Offset, b: Offset): boolean {
  return toNanos(a) > toNanos(b);
}

/** The entry that preceded this one at its append; it may be removed. Undefined when the entry does not name it. */
export function getPredecessor([, fields]: RawEntry): Offset | undefined {
  return fields[0] === 'after' ? (fields[1] as Offset) : undefined;
}

/** Field names and values in a constant order, because Redis stores equal field names of adjacent entries once. */
export function toFields(message: NewMessage): string[] {
  const { topic, sender, signature, payload, correlationId, traceparent } = message;
  const fields = ['topic', topic, 'sender', sender, 'signature', signature, 'payload', payload];
  if (correlationId !== undefined) fields.push('correlationId', correlationId);
  if (traceparent !== undefined) fields.push('traceparent', traceparent);
  return fields;
}

export function toEntry([id, fields]: RawEntry): LogEntry {
  const values: Record<string, string> = {};
  for (let at = 0; at + 1 < fields.length; at += 2) values[fields[at] ?? ''] = fields[at + 1] ?? '';
  const offset = id as Offset;
  const { topic = '', sender = '', signature = '', payload = '', correlationId, traceparent } = values;
  return {
    offset,
    timestampNanos: toNanos(offset),
    topic,
    sender,
    signature,
    payload,
    ...(correlationId !== undefined && { correlationId }),
    ...(traceparent !== undefined && { traceparent }),
  };
}
