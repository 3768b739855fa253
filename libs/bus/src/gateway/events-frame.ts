import { z } from 'zod';
import { errorDetail, receivedErrorDetail } from '../error-body.js';
import { parseMessageJson, toMessages, type Message, type ReceivedMessagesOptions } from './message.js';

/** Default path and sub-protocol of the gateway's WebSocket. The upgrade request has basic authentication. */
export const EVENTS_PATH = '/events';
export const EVENTS_PROTOCOL = 'dsb-messages';

/** A sub-protocol name is an HTTP token (RFC 6455 §4.1, RFC 9110 §5.6.2). */
export const SUBPROTOCOL_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/** Close codes of the gateway's WebSocket; 4000 to 4999 are for applications (RFC 6455 §7.4.2). */
export const CLOSE_SUPERSEDED = 4409;
export const CLOSE_REFUSED = 4403;
export const CLOSE_TOO_SLOW = 4408;

/** Reliable mode: the client has stored these messages, and they are not delivered again. */
export const acknowledgement = z.strictObject({ ack: z.array(z.string().min(1)) });
export type Acknowledgement = z.infer<typeof acknowledgement>;

/** The reply to a frame that failed, or, without `transactionId`, an error of the stream. */
export const failedFrame = z.object({ transactionId: z.string().optional(), err: errorDetail });
export type FailedFrame = z.infer<typeof failedFrame>;

/** The same frame of any gateway. */
const receivedFailedFrame = failedFrame.extend({ err: receivedErrorDetail });

/** The reply to a frame whose message was sent; only with `replies=all`. */
export const sentFrame = z.strictObject({ transactionId: z.string().optional(), id: z.string() });
export type SentFrame = z.infer<typeof sentFrame>;

/**
 * Retention removed messages before this client received them; only with `gaps=report`.
 * Sent before the messages after the gap, and repeated until one of those is acknowledged.
 */
export const gapFrame = z.strictObject({
  gap: z.object({
    fqcn: z.string().describe('Channel on which messages were missed.'),
    after: z.string().describe('Id of the last message before the gap.'),
    upTo: z.string().describe('Id of the last message in it.'),
  }) satisfies z.ZodType<MissedMessages>,
});
export type GapFrame = z.infer<typeof gapFrame>;

/** Messages of a channel that the bus removed before the client received them: those after one id, up to another. */
export interface MissedMessages {
  readonly fqcn: string;
  readonly after: string;
  readonly upTo: string;
}

/** Any frame of the gateway's WebSocket. */
export type EventsFrame =
  | { readonly kind: 'messages'; readonly messages: Message[] }
  | ({ readonly kind: 'failed' } & FailedFrame)
  | ({ readonly kind: 'sent' } & SentFrame)
  | ({ readonly kind: 'gap' } & GapFrame);

/**
 * Parses one frame of the gateway's WebSocket.
 * @throws MalformedMessageError when it is not one of these frames
 */
export function parseEventsFrame(
  text: string,
  { onMalformed }: Pick<ReceivedMessagesOptions, 'onMalformed'> = {},
): EventsFrame {
  const value = parseMessageJson(text);
  const failed = receivedFailedFrame.safeParse(value);
  if (failed.success) return { kind: 'failed', ...failed.data };
  const sent = sentFrame.safeParse(value);
  if (sent.success) return { kind: 'sent', ...sent.data };
  const gap = gapFrame.safeParse(value);
  if (gap.success) return { kind: 'gap', ...gap.data };
  return { kind: 'messages', messages: toMessages(value, { onMalformed }) };
}
