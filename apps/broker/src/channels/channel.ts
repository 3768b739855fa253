import type { LogChannel } from '../storage/message-log.js';
import { DEFAULT_TOPIC, type Fqcn } from './names.js';

/** A topic of a channel; `schema` is the text of a JSON Schema (draft-07). */
export interface Topic {
  readonly namespace: string;
  readonly schema: string;
}

/** A channel as document 002 (Channel) describes it. */
export interface Channel {
  readonly fqcn: Fqcn;
  readonly topics: readonly Topic[];
  /** DIDs and role names that may manage the channel, besides its creator. */
  readonly admins: readonly string[];
  /** DIDs and role names; undefined: every holder of the user role. */
  readonly publishers?: readonly string[];
  readonly subscribers?: readonly string[];
  /** Lifetime of a message, nanoseconds. */
  readonly maxMsgAge: number;
  /** Largest payload, bytes of UTF-8. */
  readonly maxMsgSize: number;
  readonly createdBy: string;
  /** ISO 8601, UTC; the names are document 002's. */
  readonly createdDateTime: string;
  readonly modifiedBy?: string;
  readonly modifiedByDateTime?: string;
}

/** What a creator may say of a channel; everything else is the broker's. */
export interface ChannelRequest {
  readonly fqcn: Fqcn;
  readonly topics?: readonly Topic[];
  readonly admins?: readonly string[];
  /** null takes the restriction away again. */
  readonly publishers?: readonly string[] | null;
  readonly subscribers?: readonly string[] | null;
  readonly maxMsgAge?: number;
  readonly maxMsgSize?: number;
}

export interface ChannelDefaults {
  readonly maxMsgAge: number;
  readonly maxMsgSize: number;
}

export function createChannel(
  request: ChannelRequest,
  defaults: ChannelDefaults,
  by: string,
  now: Date,
): Channel {
  const { fqcn } = request;
  const empty = {
    fqcn,
    topics: [],
    admins: [],
    ...defaults,
    createdBy: by,
    createdDateTime: now.toISOString(),
  };
  return applied(empty, request);
}

export function changeChannel(channel: Channel, request: ChannelRequest, by: string, now: Date): Channel {
  return { ...applied(channel, request), modifiedBy: by, modifiedByDateTime: now.toISOString() };
}

/** Replaces what the request names and keeps the rest. */
function applied(channel: Channel, request: ChannelRequest): Channel {
  const { publishers: before, subscribers: earlier, ...kept } = channel;
  const { publishers = before, subscribers = earlier } = request;
  return {
    ...kept,
    ...(publishers && { publishers }),
    ...(subscribers && { subscribers }),
    topics: request.topics ?? channel.topics,
    admins: request.admins ?? channel.admins,
    maxMsgAge: request.maxMsgAge ?? channel.maxMsgAge,
    maxMsgSize: request.maxMsgSize ?? channel.maxMsgSize,
  };
}

/** A channel made without topics has one, `default`, that takes any payload. */
const FREE_TOPIC: Topic = { namespace: DEFAULT_TOPIC, schema: 'true' };

export function topicOf(channel: Channel, name: string): Topic | undefined {
  const topics = channel.topics.length === 0 ? [FREE_TOPIC] : channel.topics;
  return topics.find(({ namespace }) => namespace === name);
}

/** Milliseconds that a message of this channel is kept; maxMsgAge is in nanoseconds. */
export function retentionMs(channel: Channel): number {
  return Math.max(1, Math.ceil(channel.maxMsgAge / 1_000_000));
}

/** What the log needs to know of a channel. */
export function logChannel(channel: Channel): LogChannel {
  const { fqcn, createdDateTime, maxMsgSize } = channel;
  return {
    fqcn,
    made: Date.parse(createdDateTime),
    retentionMs: retentionMs(channel),
    largestMessage: maxMsgSize,
  };
}
