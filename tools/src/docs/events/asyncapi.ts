import {
  buildEventSchema,
  definitionOf,
  EVENT_TYPES,
  type EventType,
  type JsonSchema,
  type SignedEvent,
} from '@ssb/events';
import { stringify } from 'yaml';
import { nameOf } from './events-page.js';

/** A topic of the routes, as `listTopics` of @ssb/config lists it. */
export interface EventTopic {
  readonly channel: string;
  readonly topic: string;
  readonly type: EventType;
}

const HEAD =
  '# Written by npm run docs from libs/events and config/bridge.yaml; CI fails when it is out of date.\n';

const DESCRIPTION = `Events about settlement, prudential position and access of market participants, as signed CloudEvents 1.0 in JSON.

A channel of this document is a channel of the message bus. The address is its fully qualified name. Each message has a topic, which is in its \
headers here. A gateway delivers the payload as text in its own message, which its WebSocket document describes.

The channels and topics are those of the example configuration. An operator may use others.`;

/** An AsyncAPI 3.1 document in YAML: the channels, the topics on them, and the message of each event type. */
export function renderAsyncApi(
  topics: readonly EventTopic[],
  readExample: (type: EventType) => SignedEvent,
): string {
  const channels = [...new Set(topics.map(({ channel }) => channel))].map((address) => ({
    address,
    key: keyOf(address, topics),
    names: topics.filter(({ channel }) => channel === address).map(({ type }) => nameOf(type)),
  }));
  const document = {
    asyncapi: '3.1.0',
    info: { title: 'Settlement Bus Bridge, events', version: '1.0.0', description: DESCRIPTION },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(channels.map((channel) => [channel.key, toChannel(channel)])),
    operations: Object.fromEntries(
      channels.map((channel) => [`publish-${channel.key}`, toOperation(channel)]),
    ),
    components: {
      messages: Object.fromEntries(
        EVENT_TYPES.map((type) => [nameOf(type), toMessage(type, topics, readExample(type))]),
      ),
    },
  };
  return HEAD + stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 });
}

/** The first word of a fully qualified name, if no other channel has it. */
function keyOf(channel: string, topics: readonly EventTopic[]): string {
  const word = channel.split('.')[0] ?? channel;
  const isShared = topics.some((each) => each.channel !== channel && each.channel.split('.')[0] === word);
  return isShared ? channel : word;
}

interface DocumentChannel {
  readonly address: string;
  readonly key: string;
  /** Names of the types that travel on it. */
  readonly names: readonly string[];
}

function toChannel({ address, key, names }: DocumentChannel): object {
  return {
    address,
    title: key,
    messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
  };
}

function toOperation({ key, names }: DocumentChannel): object {
  const channel = `#/channels/${key}`;
  return {
    action: 'send',
    summary: `The bridge publishes on the channel ${key}.`,
    channel: { $ref: channel },
    messages: names.map((name) => ({ $ref: `${channel}/messages/${name}` })),
  };
}

function toMessage(type: EventType, topics: readonly EventTopic[], example: SignedEvent): object {
  const { when, response } = definitionOf(type).guide;
  const names = [...new Set(topics.filter((each) => each.type === type).map(({ topic }) => topic))];
  return {
    name: type,
    title: nameOf(type),
    summary: when,
    description: `What to do: ${response}`,
    // A type without a route has no topic.
    ...(names.length > 0 && {
      headers: {
        type: 'object',
        properties: { topic: { description: 'Topic of the message.', enum: names } },
        required: ['topic'],
      },
    }),
    payload: toPayload(buildEventSchema(type)),
    examples: [{ name: nameOf(type), payload: example }],
  };
}

/** AsyncAPI names the draft of a schema outside it. */
function toPayload({ $schema: _, ...schema }: JsonSchema): object {
  return { schemaFormat: 'application/schema+json;version=draft-07', schema };
}
