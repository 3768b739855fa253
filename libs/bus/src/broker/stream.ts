import { z } from 'zod';
import { errorDetail } from '../error-body.js';
import { roleState } from '../gateway/enrolment.js';
import { busMessage } from './http.js';

/** Path and sub-protocol of the broker's WebSocket stream; `Authorization: Bearer <token>` at the upgrade. */
export const STREAM_PATH = '/stream';
export const STREAM_PROTOCOL = 'bus-stream.v1';

/** Most messages that may be unacknowledged in one subscription. */
export const LARGEST_WINDOW = 10_000;

/** Most channels that one subscription names; one that wants more names none and gets all. */
export const MOST_NAMED_CHANNELS = 500;

/** Channels, clients, subscriptions and ids have names of at most this many characters. */
const name = z.string().min(1).max(255);

/**
 * What a gateway sends, one JSON text frame each. `subscription` is the gateway's own name for it, unique on the socket; one
 * socket carries many.
 */
export const streamRequest = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('subscribe'),
    subscription: name,
    /** Whose position in each channel this is, together with the DID. */
    clientId: name,
    /** Omitted: every channel that this DID may read, also those made later. */
    fqcn: z.array(name).max(MOST_NAMED_CHANNELS).optional(),
    /** Most unacknowledged messages in all. */
    window: z.number().int().min(1).max(LARGEST_WINDOW),
    /** Whether `gap` frames are understood; without it none is sent, since older gateways refuse frames that they do not know. */
    gaps: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('ack'),
    subscription: name,
    fqcn: name,
    ids: z.array(name).max(LARGEST_WINDOW),
  }),
  z.object({ type: z.literal('unsubscribe'), subscription: name }),
]);
export type StreamRequest = z.infer<typeof streamRequest>;
export type SubscribeRequest = Extract<StreamRequest, { type: 'subscribe' }>;

/**
 * Largest frame that carries messages, bytes: a page of the broker, of which JSON may write a byte as two, and more than room for the
 * fields. Whoever receives messages refuses a larger one.
 */
export const LARGEST_FRAME = 64 * 1_048_576;

/** What the broker sends. */
export const streamFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('subscribed'), subscription: z.string(), channels: z.array(z.string()) }),
  z.object({ type: z.literal('messages'), subscription: z.string(), messages: z.array(busMessage) }),
  /**
   * Retention overtook the reader: messages after the position of its `clientId` were removed before they were sent. Stands before the
   * messages that follow. Told again on the next subscription, until a message after the gap is acknowledged.
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
  /** The subscription ended: taken over by a newer one of the same DID and clientId, or the rights were revoked. */
  z.object({ type: z.literal('closed'), subscription: z.string(), err: errorDetail }),
  z.object({ type: z.literal('error'), subscription: z.string().optional(), err: errorDetail }),
]);
export type StreamFrame = z.infer<typeof streamFrame>;
