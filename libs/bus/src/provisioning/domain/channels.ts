import { isDeepStrictEqual } from 'node:util';
import type { Channel, Topic } from '../../gateway/channel.js';
import { buildEventSchema } from '@ssb/events';
import { lowerCaseAddress } from '@ssb/identity';
import { listTopics, type OperatorConfig } from '@ssb/config';

export interface ChannelDefinition {
  readonly fqcn: string;
  readonly topics: readonly Topic[];
  readonly publishers: readonly string[];
  readonly subscribers: readonly string[];
  /** Largest payload, bytes; the default of the broker when undefined. */
  readonly maxMsgSize?: number;
}

/** The channels of the operator's routes. Each topic has the schema of its event type, each channel the largest limit of its routes. */
export function buildChannels(
  config: OperatorConfig,
  { publishers, subscribers }: Pick<ChannelDefinition, 'publishers' | 'subscribers'>,
): ChannelDefinition[] {
  const topicsByChannel = new Map<string, Topic[]>();
  for (const { channel, topic: namespace, type } of listTopics(config)) {
    const topic = { namespace, schema: JSON.stringify(buildEventSchema(type)) };
    topicsByChannel.set(channel, [...(topicsByChannel.get(channel) ?? []), topic]);
  }
  return [...topicsByChannel].map(([fqcn, topics]) => {
    const limits = config.routes
      .filter(({ channel }) => channel === fqcn)
      .map((each) => each.maxMessageBytes);
    return { fqcn, topics, publishers, subscribers, maxMsgSize: Math.max(...limits) };
  });
}

/** The topic of a channel without topics. */
const OPEN_TOPIC: Topic = { namespace: 'default', schema: 'true' };

/** A list in it replaces the former one; what it leaves out stays. */
export type ChannelChange = Pick<ChannelDefinition, 'fqcn'> & Partial<ChannelDefinition>;

/**
 * The change of an existing channel that adds what it lacks; undefined when it lacks nothing. Topics and members that others added stay, and
 * a channel that is open to every user stays open. One without topics accepts any payload on `default`, so that topic is added.
 */
export function mergeChannel(existing: Channel, wanted: ChannelDefinition): ChannelChange | undefined {
  const missing = findMissing(existing, wanted);
  const { publishers = [], subscribers = [] } = existing;
  const topics = existing.topics?.length ? existing.topics : [OPEN_TOPIC];
  const replaced = new Set(missing.topics.map(({ namespace }) => namespace));
  const change: Omit<ChannelChange, 'fqcn'> = {
    ...(missing.topics.length > 0 && {
      topics: [...topics.filter(({ namespace }) => !replaced.has(namespace)), ...missing.topics],
    }),
    ...(missing.publishers.length > 0 && { publishers: [...publishers, ...missing.publishers] }),
    ...(missing.subscribers.length > 0 && { subscribers: [...subscribers, ...missing.subscribers] }),
    ...(missing.maxMsgSize !== undefined && { maxMsgSize: missing.maxMsgSize }),
  };
  return Object.keys(change).length === 0 ? undefined : { fqcn: wanted.fqcn, ...change };
}

export interface ChannelDifference {
  /** Topics that do not exist, or have another schema. */
  readonly topics: readonly Topic[];
  readonly publishers: readonly string[];
  readonly subscribers: readonly string[];
  /** The limit that is needed, when the channel has a smaller one. */
  readonly maxMsgSize: number | undefined;
}

/** What a channel lacks. An empty list of members permits every user. */
export function findMissing(existing: Channel, wanted: ChannelDefinition): ChannelDifference {
  const { topics = [], publishers, subscribers, maxMsgSize = Infinity } = existing;
  return {
    topics: wanted.topics.filter((topic) => !topics.some((each) => isSameTopic(each, topic))),
    publishers: findMissingMembers(publishers, wanted.publishers),
    subscribers: findMissingMembers(subscribers, wanted.subscribers),
    maxMsgSize: maxMsgSize < (wanted.maxMsgSize ?? 0) ? wanted.maxMsgSize : undefined,
  };
}

/** Members of a schema that some buses remove. They change no verdict: a schema without them is of draft-07, as ours are. */
const REMOVED_MEMBERS = ['$schema', '$id'] as const;

/** A bus may write the same schema in another way. */
function isSameTopic(existing: Topic, wanted: Topic): boolean {
  if (existing.namespace !== wanted.namespace) return false;
  try {
    const stored: unknown = JSON.parse(existing.schema);
    return isDeepStrictEqual(stored, withoutRemoved(JSON.parse(wanted.schema), stored));
  } catch {
    return false;
  }
}

/** The schema without what the stored one lacks of `REMOVED_MEMBERS`. */
function withoutRemoved(schema: unknown, stored: unknown): unknown {
  if (!isObject(schema) || !isObject(stored)) return schema;
  const removed = REMOVED_MEMBERS.filter((member) => !(member in stored));
  return Object.fromEntries(
    Object.entries(schema).filter(([member]) => !removed.some((each) => each === member)),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function findMissingMembers(existing: readonly string[] = [], wanted: readonly string[]): string[] {
  if (existing.length === 0) return [];
  const addresses = existing.map(lowerCaseAddress);
  return wanted.filter((did) => !addresses.includes(lowerCaseAddress(did)));
}

/** How a channel treats a reader: permitted by its DID, permitted as every user, or not permitted. */
export function findAccess({ subscribers = [] }: Channel, did: string): 'member' | 'open' | 'missing' {
  if (subscribers.length === 0) return 'open';
  return findMissingMembers(subscribers, [did]).length === 0 ? 'member' : 'missing';
}
