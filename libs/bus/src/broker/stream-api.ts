import { z } from 'zod';
import { errorDetail } from '../error-body.js';
import { roleState } from '../gateway/identity.js';
import { busMessage } from './http-api.js';

/** Path and sub-protocol of the broker's WebSocket stream. The upgrade request has `Authorization: Bearer <token>`. */
export const STREAM_PATH = '/stream';
export const STREAM_PROTOCOL = 'bus-stream.v1';

/** Maximum number of unacknowledged messages in one subscription. */
export const MAX_WINDOW = 10_000;

/** Maximum number of channel names in one subscription. A subscription without names gets all channels. */
export const MAX_NAMED_CHANNELS = 500;

/** A channel, client, subscription or message id. */
const name = z.string().min(1).max(255);

/** A request of the gateway, one JSON text frame. The gateway chooses a `subscription` name that is unique on the socket. */
export const streamRequest = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('subscribe'),
    subscription: name,
    /** Identifies the stored offset in each channel, together with the DID. */
    clientId: name,
    /** Default: every channel that this DID may read, later ones included. */
    fqcn: z.array(name).max(MAX_NAMED_CHANNELS).optional(),
    /**
     * Where a client id that is not known begins, RFC 3339 in UTC. Default: with the oldest message, which is not kept.
     * A client id is known once it began with `from`, or acknowledged a message.
     */
    from: z.union([z.enum(['now', 'oldest']), z.iso.datetime()]).optional(),
    /** Maximum number of unacknowledged messages. */
    window: z.number().int().min(1).max(MAX_WINDOW),
    /** Whether to send `gap` frames. Older gateways refuse unknown frames. */
    gaps: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('ack'),
    subscription: name,
    fqcn: name,
    ids: z.array(name).max(MAX_WINDOW),
  }),
  z.object({ type: z.literal('unsubscribe'), subscription: name }),
]);
export type StreamRequest = z.infer<typeof streamRequest>;
export type SubscribeRequest = Extract<StreamRequest, { type: 'subscribe' }>;

/** Maximum size of a frame: a page of the broker, in which JSON may escape each byte as two, and its other fields. */
export const MAX_FRAME_BYTES = 64 * 1_048_576;

/** A message on the stream, with the W3C trace context of its delivery. The context is unverified and no part of the message. */
export const streamMessage = busMessage.extend({ traceparent: z.string().optional().catch(undefined) });
export type StreamMessage = z.infer<typeof streamMessage>;

/** A frame of the broker. */
export const streamFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('subscribed'), subscription: z.string(), channels: z.array(z.string()) }),
  z.object({ type: z.literal('messages'), subscription: z.string(), messages: z.array(streamMessage) }),
  /**
   * Retention removed messages after the offset of `clientId`. Sent before the messages after the gap, and again on
   * the next subscription until one of those is acknowledged.
   */
  z.object({
    type: z.literal('gap'),
    subscription: z.string(),
    fqcn: z.string(),
    /** The last message before the gap, and the last one in it. */
    after: z.string(),
    upTo: z.string(),
  }),
  /** A decision on a claim of this DID. */
  z.object({ type: z.literal('claim'), role: z.string(), state: roleState }),
  /** The subscription ended: a newer one of the same DID and clientId replaced it, or the permission was revoked. */
  z.object({ type: z.literal('closed'), subscription: z.string(), err: errorDetail }),
  z.object({ type: z.literal('error'), subscription: z.string().optional(), err: errorDetail }),
]);
export type StreamFrame = z.infer<typeof streamFrame>;
