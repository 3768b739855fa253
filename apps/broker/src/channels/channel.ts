import type { LogChannel } from '../storage/message-log.js';
import { DEFAULT_TOPIC, type Fqcn } from './names.js';

/** A topic of a channel; `schema` is the text of a JSON Schema, of draft-07 unless it declares another draft. */
export interface Topic {
  readonly namespace: string;
  readonly schema: string;
}

/** A channel as document 002 (Channel) describes it. */
export interface Channel {
  readonly fqcn: Fqcn;
  readonly topics: readonly Topic[];
  /** DIDs and role names that may manage the channel, in addition to its creator. */
  readonly admins: readonly string[];
  /** DIDs and role names. Undefined allows every holder of the user role. */
  readonly publishers?: readonly string[];
  readonly subscribers?: readonly string[];
  /** Lifetime of a message, nanoseconds. */
  readonly maxMsgAge: number;
  /** Maximum payload, bytes of UTF-8. */
  readonly maxMsgSize: number;
  readonly createdBy: string;
  /** ISO 8601, UTC. Document 002 defines the field names. */
  readonly createdDateTime: string;
  readonly modifiedBy?: string;
  readonly modifiedByDateTime?: string;
}

/** A part of a topic's schema that is not evaluated, such as an unknown keyword. `path` is a JSON Pointer. */
export interface TopicWarning {
  readonly topic: string;
  readonly path: string;
  readonly message: string;
}

/** The response to a request that creates or changes a channel. The warnings are not stored. */
export type CheckedChannel = Channel & { readonly schemaWarnings?: readonly TopicWarning[] };

/** The fields that a client sets; the broker sets the others. */
export interface ChannelRequest {
  readonly fqcn: Fqcn;
  readonly topics?: readonly Topic[];
  readonly admins?: readonly string[];
  /** `null` removes the list, so that every holder of the user role is allowed. */
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
  caller: string,
  now: Date,
): Channel {
  const { fqcn } = request;
  const empty = {
    fqcn,
    topics: [],
    admins: [],
    ...defaults,
    createdBy: caller,
    createdDateTime: now.toISOString(),
  };
  return applyRequest(empty, request);
}

export function changeChannel(channel: Channel, request: ChannelRequest, caller: string, now: Date): Channel {
  return { ...applyRequest(channel, request), modifiedBy: caller, modifiedByDateTime: now.toISOString() };
}

/** Replaces the fields that the request contains and keeps the others. */
function applyRequest(channel: Channel, request: ChannelRequest): Channel {
  const { publishers: currentPublishers, subscribers: currentSubscribers, ...kept } = channel;
  const { publishers = currentPublishers, subscribers = currentSubscribers } = request;
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

/** The only topic of a channel without topics; accepts any payload. */
const OPEN_TOPIC: Topic = { namespace: DEFAULT_TOPIC, schema: 'true' };

export function findTopic(channel: Channel, name: string): Topic | undefined {
  const topics = channel.topics.length === 0 ? [OPEN_TOPIC] : channel.topics;
  return topics.find(({ namespace }) => namespace === name);
}

/** How long a message of this channel is kept, milliseconds. */
function toRetentionMs(channel: Channel): number {
  return Math.max(1, Math.ceil(channel.maxMsgAge / 1_000_000));
}

/** The part of the channel that the log needs. */
export function toLogChannel(channel: Channel): LogChannel {
  const { fqcn, createdDateTime, maxMsgSize } = channel;
  return {
    fqcn,
    createdAt: Date.parse(createdDateTime),
    retentionMs: toRetentionMs(channel),
    maxMessageBytes: maxMsgSize,
  };
}
