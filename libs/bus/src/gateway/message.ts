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

/** The largest number of 20 digits, 10^20 - 1, rounded to a double. */
const MAX_NANOSECONDS = 1e20;

function isNanoseconds(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= MAX_NANOSECONDS;
}

/** A gateway that reads it as a double sends a rounded number, perhaps with an exponent. */
const nanoseconds = z
  .union([z.string().regex(/^\d{1,20}$/), z.number().refine(isNanoseconds)])
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

/** A message of a gateway or a broker, with the digits of its time. */
interface TimedMessage {
  readonly timestampNanos: bigint | string;
}

/** One message as JSON text, with every digit of `timestampNanos` in a number. */
export function serialiseMessage({ timestampNanos, ...rest }: TimedMessage): string {
  return `${JSON.stringify(rest).slice(0, -1)},"timestampNanos":${timestampNanos}}`;
}

/** Messages as a JSON array. */
export function serialiseMessages(messages: readonly TimedMessage[]): string {
  return `[${messages.map(serialiseMessage).join(',')}]`;
}

/** The text does not conform to document 002. */
export class MalformedMessageError extends Error {
  override readonly name = 'MalformedMessageError';

  constructor(
    message: string,
    /** What can be read of one malformed message. */
    readonly readableFields: Partial<Pick<Message, 'id' | 'fqcn' | 'timestampNanos'>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
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
    throw new MalformedMessageError('The text is not JSON.', {}, { cause });
  }
}

export interface ReceivedMessagesOptions {
  /** Channel of the messages that name none, as some gateways leave it out of a REST response. */
  readonly fqcn?: string;
  /** Called for each message that does not conform to document 002, which is left out. Default: it is thrown. */
  readonly onMalformed?: ((error: MalformedMessageError) => void) | undefined;
}

/**
 * Reads a value of `parseMessageJson`: a message or an array of messages.
 * @throws MalformedMessageError without `onMalformed`
 */
export function toMessages(value: unknown, options: ReceivedMessagesOptions = {}): Message[] {
  const given: unknown[] = Array.isArray(value) ? value : [value];
  return given.flatMap((item) => toMessage(item, options));
}

function toMessage(value: unknown, { fqcn, onMalformed }: ReceivedMessagesOptions): Message[] {
  const isObject = typeof value === 'object' && value !== null;
  const given = isObject && fqcn !== undefined ? { fqcn, ...value } : value;
  let result = message.safeParse(given);
  // Only the messages of other gateways are parsed twice.
  if (!result.success && isObject) result = message.safeParse(normalise({ ...value }, fqcn));
  if (result.success) return [result.data];
  const error = new MalformedMessageError(z.prettifyError(result.error), readableFields.parse(value));
  if (onMalformed === undefined) throw error;
  onMalformed(error);
  return [];
}

/** Some gateways send null for a field without a value, or a number as the id. */
function normalise(fields: Readonly<Record<string, unknown>>, fqcn: string | undefined): object {
  const { id } = fields;
  const present = Object.entries(fields).filter(([, value]) => value !== null);
  return {
    ...(fqcn !== undefined && { fqcn }),
    ...Object.fromEntries(present),
    ...(Number.isSafeInteger(id) && { id: String(id) }),
  };
}

const readableFields = z
  .object({
    id: message.shape.id.optional().catch(undefined),
    fqcn: message.shape.fqcn.optional().catch(undefined),
    timestampNanos: nanoseconds.optional().catch(undefined),
  })
  .catch({});

/**
 * A member `"timestampNanos": <digits>`. It cannot match inside a string: there, every quote is escaped, and the
 * pattern's quotes follow `{`, `,` or white space.
 */
const TIMESTAMP_MEMBER = /([{,]\s*"timestampNanos"\s*:\s*)(\d+)(?=\s*[,}])/g;

/** Quotes the digits of every `timestampNanos`, so that `JSON.parse` keeps them all. */
function quoteTimestamps(json: string): string {
  return json.replace(TIMESTAMP_MEMBER, '$1"$2"');
}
