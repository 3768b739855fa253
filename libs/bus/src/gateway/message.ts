import { z } from 'zod';

/**
 * Document 002, "Message". `timestampNanos` is nanoseconds since 1970, which a double cannot hold: a bigint in memory
 * and a JSON number with every digit on the wire.
 */
export interface Message {
  readonly id: string;
  readonly fqcn: string;
  readonly topic?: string;
  readonly payload: string;
  readonly signature: string;
  /** DID of the sender. */
  readonly sender: string;
  readonly timestampNanos: bigint;
  readonly transactionId?: string;
}

const nanoseconds = z
  .union([z.string().regex(/^\d{1,20}$/), z.number().int().nonnegative()])
  .transform((value) => BigInt(value));

export const message = z.object({
  id: z.string().describe('Message id on the bus.'),
  fqcn: z.string().describe('Fully qualified channel name.'),
  topic: z.string().optional().describe('Topic that the message was sent to.'),
  payload: z.string().describe('Message data.'),
  signature: z.string().describe("Signature of the payload by the sender's key."),
  sender: z.string().describe('DID of the sender.'),
  timestampNanos: nanoseconds,
  transactionId: z.string().optional().describe('End-to-end identifier that the sender gave.'),
});

/** One message as JSON text, with every digit of `timestampNanos`. */
export function serialiseMessage({ timestampNanos, ...rest }: Message): string {
  return `${JSON.stringify(rest).slice(0, -1)},"timestampNanos":${timestampNanos}}`;
}

/** Messages as a JSON array. */
export function serialiseMessages(messages: readonly Message[]): string {
  return `[${messages.map(serialiseMessage).join(',')}]`;
}

/** The text does not conform to document 002. */
export class MalformedMessageError extends Error {
  override readonly name = 'MalformedMessageError';
}

/**
 * Parses one message or an array of messages without losing a digit.
 * @throws MalformedMessageError when it is not JSON, or a field is missing or has the wrong type
 */
export function parseMessages(text: string): Message[] {
  return toMessages(parseMessageJson(text));
}

/**
 * Parses JSON that can contain messages. Each `timestampNanos` becomes a string of digits.
 * @throws MalformedMessageError when it is not JSON
 */
export function parseMessageJson(text: string): unknown {
  try {
    return JSON.parse(quoteTimestamps(text));
  } catch (cause) {
    throw new MalformedMessageError('The text is not JSON.', { cause });
  }
}

/** @throws MalformedMessageError when a value of `parseMessageJson` is neither a message nor an array of messages */
export function toMessages(value: unknown): Message[] {
  const result = z.array(message).safeParse(Array.isArray(value) ? value : [value]);
  if (!result.success) throw new MalformedMessageError(z.prettifyError(result.error));
  return result.data;
}

/**
 * A member `"timestampNanos": <digits>`. It cannot match inside a string: there, every quote is escaped, and the
 * pattern's quotes follow `{`, `,` or white space.
 */
const TIMESTAMP_MEMBER = /([{,]\s*"timestampNanos"\s*:\s*)(\d+)(?=\s*[,}])/g;

/** Quotes the digits of every `timestampNanos`, so that `JSON.parse` keeps them all. */
function quoteTimestamps(json: string): string {
  return json.replace(TIMESTAMP_MEMBER, '$1"$2"');
}
