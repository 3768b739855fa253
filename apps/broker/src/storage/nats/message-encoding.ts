import type { NewMessage, Offset } from '../message-log.js';

/** An offset in a channel's stream. A recreated stream starts at sequence 1 again, so the offset includes its creation time. */
export interface StreamOffset {
  readonly sequence: number;
  /** When the stream was created, epoch milliseconds. */
  readonly createdAt: number;
}

const OFFSET = /^(\d+)-(\d+)$/;

export function toOffset({ sequence, createdAt }: StreamOffset): Offset {
  return `${createdAt}-${sequence}` as Offset;
}

/** @throws RangeError for any other text */
export function parseOffset(offset: Offset): StreamOffset {
  const [, createdAt, sequence] = OFFSET.exec(offset) ?? [];
  if (createdAt === undefined || sequence === undefined) {
    throw new RangeError(`${offset} is not an offset of a stream`);
  }
  return { createdAt: Number(createdAt), sequence: Number(sequence) };
}

/** Whether `a` comes after `b`; a later stream comes after an earlier one. */
export function isAfter(a: StreamOffset, b: StreamOffset): boolean {
  return a.createdAt > b.createdAt || (a.createdAt === b.createdAt && a.sequence > b.sequence);
}

const LINE_FEED = 10;

/**
 * A message as JetStream stores it: one line of JSON with the other fields (empty for an absent one), then the raw payload.
 * NATS headers cannot contain arbitrary text, and every append notification would repeat them.
 */
export function encodeMessage(message: NewMessage): Uint8Array {
  const { topic, sender, signature, correlationId, traceparent, payload } = message;
  const head = [topic, sender, signature];
  if (correlationId !== undefined || traceparent !== undefined) head.push(correlationId ?? '');
  if (traceparent !== undefined) head.push(traceparent);
  return Buffer.from(`${JSON.stringify(head)}\n${payload}`);
}

/** @throws SyntaxError for any other content */
export function decodeMessage(body: Uint8Array): NewMessage {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const end = bytes.indexOf(LINE_FEED);
  const [topic = '', sender = '', signature = '', correlationId = '', traceparent] = JSON.parse(
    bytes.toString('utf8', 0, end),
  ) as string[];
  return {
    topic,
    sender,
    signature,
    payload: bytes.toString('utf8', end + 1),
    ...(correlationId !== '' && { correlationId }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

const RFC_3339 = /^(.+?)(?:\.(\d{1,9}))?Z$/;

/**
 * Converts a JetStream timestamp (RFC 3339 in UTC, up to nine fractional digits) to epoch nanoseconds, without rounding.
 * @throws RangeError for any other text
 */
export function parseTimestampNanos(timestamp: string): bigint {
  const [, seconds, fraction = ''] = RFC_3339.exec(timestamp) ?? [];
  const milliseconds = seconds === undefined ? Number.NaN : Date.parse(`${seconds}Z`);
  if (Number.isNaN(milliseconds)) throw new RangeError(`${timestamp} is not a JetStream timestamp`);
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
