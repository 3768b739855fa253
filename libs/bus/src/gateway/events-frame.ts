import { z } from 'zod';
import { errorDetail } from '../error-body.js';
import { messagesOf, parseMessageJson, type Message } from './message.js';

/** Path and sub-protocol of the gateway's WebSocket, unless its operator named another; basic authentication at the upgrade. */
export const EVENTS_PATH = '/events';
export const EVENTS_PROTOCOL = 'dsb-messages';

/** What a sub-protocol may be called: a token of HTTP (RFC 6455 §4.1, RFC 9110 §5.6.2). */
export const SUBPROTOCOL_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/** Close codes of the gateway's WebSocket that tell a client why (4000–4999 are free for applications, RFC 6455 §7.4.2). */
export const CLOSE_SUPERSEDED = 4409;
export const CLOSE_REFUSED = 4403;
export const CLOSE_TOO_SLOW = 4408;

/** Reliable mode: the client holds these messages durably; they are not delivered again. */
export const acknowledgement = z.strictObject({ ack: z.array(z.string().min(1)) });
export type Acknowledgement = z.infer<typeof acknowledgement>;

/** The reply to a frame that failed, or an error of the stream itself (then without `transactionId`). */
export const failedFrame = z.object({ transactionId: z.string().optional(), err: errorDetail });
export type FailedFrame = z.infer<typeof failedFrame>;

/** The reply to a frame that was sent on; only with `replies=all`. */
export const sentFrame = z.strictObject({ transactionId: z.string().optional(), id: z.string() });
export type SentFrame = z.infer<typeof sentFrame>;

/**
 * Messages were removed (retention) before this client got them; only with `gaps=report`. It stands before the messages that follow, and
 * comes again until one of those is acknowledged.
 */
export const gapFrame = z.strictObject({
  gap: z.object({
    fqcn: z.string().describe('Channel on which messages were missed.'),
    after: z.string().describe('Id of the last message before the gap.'),
    upTo: z.string().describe('Id of the last message in it.'),
  }),
});
export type GapFrame = z.infer<typeof gapFrame>;
export type MissedMessages = GapFrame['gap'];

/** Anything the gateway puts on its WebSocket. */
export type EventsFrame =
  | { readonly kind: 'messages'; readonly messages: Message[] }
  | ({ readonly kind: 'failed' } & FailedFrame)
  | ({ readonly kind: 'sent' } & SentFrame)
  | ({ readonly kind: 'gap' } & GapFrame);

/**
 * Reads one frame of the gateway's WebSocket.
 * @throws MalformedMessageError when it is none of them
 */
export function parseEventsFrame(text: string): EventsFrame {
  const value = parseMessageJson(text);
  const failed = failedFrame.safeParse(value);
  if (failed.success) return { kind: 'failed', ...failed.data };
  const sent = sentFrame.safeParse(value);
  if (sent.success) return { kind: 'sent', ...sent.data };
  const gap = gapFrame.safeParse(value);
  if (gap.success) return { kind: 'gap', ...gap.data };
  return { kind: 'messages', messages: messagesOf(value) };
}
