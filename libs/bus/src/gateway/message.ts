import { z } from 'zod';

/**
 * Document 002, "Message". `timestampNanos` counts nanoseconds since 1970 and needs 61 bits: a double would lose its last three
 * digits, so it is a bigint in memory and a bare JSON number with every digit on the wire.
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

/** One message as JSON text, `timestampNanos` a bare number to the digit. */
export function serialiseMessage({ timestampNanos, ...rest }: Message): string {
  return `${JSON.stringify(rest).slice(0, -1)},"timestampNanos":${timestampNanos}}`;
}

/** A JSON array of messages; the empty list is `[]`. */
export function serialiseMessages(messages: readonly Message[]): string {
  return `[${messages.map(serialiseMessage).join(',')}]`;
}

/** A text that is not what the gateway's interface promises. */
export class MalformedMessageError extends Error {
  override readonly name = 'MalformedMessageError';
}

/**
 * Reads one message, or an array of them, without losing a digit.
 * @throws MalformedMessageError when it is no JSON, or a field is missing or of another type
 */
export function parseMessages(text: string): Message[] {
  return messagesOf(parseMessageJson(text));
}

/**
 * Reads JSON in which messages may stand; their `timestampNanos` arrive as strings of digits.
 * @throws MalformedMessageError when it is no JSON
 */
export function parseMessageJson(text: string): unknown {
  try {
    return JSON.parse(quoteTimestamps(text));
  } catch (cause) {
    throw new MalformedMessageError('The text is not JSON.', { cause });
  }
}

/** @throws MalformedMessageError when a value of `parseMessageJson` is neither a message nor an array of them */
export function messagesOf(value: unknown): Message[] {
  const result = z.array(message).safeParse(Array.isArray(value) ? value : [value]);
  if (!result.success) throw new MalformedMessageError(z.prettifyError(result.error));
  return result.data;
}

/**
 * A member `"timestampNanos": <digits>`. It cannot match inside a string value: there every quote is escaped, so a quote that
 * follows `{`, `,` or white space directly opens a string, and one that closes a string is never followed by a letter.
 */
const TIMESTAMP_MEMBER = /([{,]\s*"timestampNanos"\s*:\s*)(\d+)(?=\s*[,}])/g;

/** Puts the digits of every `timestampNanos` in valid JSON text into quotes, so that `JSON.parse` keeps them all. */
function quoteTimestamps(json: string): string {
  return json.replace(TIMESTAMP_MEMBER, '$1"$2"');
}
