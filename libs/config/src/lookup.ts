import { EVENT_TYPES, matchesPattern, TOPIC_BY_EVENT_TYPE, type EventType } from '@ssb/events';
import type { DetectionOptions } from './detection/detection-schema.js';
import type { OperatorConfig, ParticipantConfig } from './schema.js';

export interface Route {
  /** Fully qualified channel name. */
  readonly channel: string;
  readonly topic: string;
  /** Largest message of the channel, bytes. */
  readonly maxMessageBytes: number;
}

/** The first route that matches an event type; undefined when none does. Heartbeats have no route: they travel on every channel. */
export function findRoute(config: OperatorConfig, type: EventType): Route | undefined {
  if (type === HEARTBEAT_TYPE) return undefined;
  const route = config.routes.find(({ types }) => types.some((pattern) => matchesPattern(pattern, type)));
  return (
    route && {
      channel: route.channel,
      topic: route.topic ?? TOPIC_BY_EVENT_TYPE[type],
      maxMessageBytes: route.maxMessageBytes,
    }
  );
}

/** Whether the operator wants no event of a type that has no route. */
export function isIgnored(config: OperatorConfig, type: string): boolean {
  return config.ignore.some((pattern) => matchesPattern(pattern, type));
}

export const HEARTBEAT_TYPE = 'settlementbus.bridge.heartbeat.v1' satisfies EventType;

/** The route of a heartbeat on one channel; undefined when no route uses the channel. */
export function findHeartbeatRoute(config: OperatorConfig, channel: string): Route | undefined {
  const route = config.routes.find((each) => each.channel === channel);
  return (
    route && { channel, topic: TOPIC_BY_EVENT_TYPE[HEARTBEAT_TYPE], maxMessageBytes: route.maxMessageBytes }
  );
}

/** The channels of all routes, each once. */
export function listChannels(config: OperatorConfig): string[] {
  return [...new Set(config.routes.map(({ channel }) => channel))];
}

/** The channels that a subscriber reads, each once: those of the routes, and others that `senders` trusts. */
export function listReadChannels(config: OperatorConfig): string[] {
  return [...new Set([...listChannels(config), ...config.senders.map(({ channel }) => channel)])];
}

/** A topic that the routes use, and the type of its events. */
export interface RoutedTopic {
  readonly channel: string;
  readonly topic: string;
  readonly type: EventType;
}

/** The topics of all routes, those of the heartbeats included. */
export function listTopics(config: OperatorConfig): RoutedTopic[] {
  const toTopic = (type: EventType, route: Route | undefined): RoutedTopic[] =>
    route === undefined ? [] : [{ channel: route.channel, topic: route.topic, type }];
  return [
    ...EVENT_TYPES.flatMap((type) => toTopic(type, findRoute(config, type))),
    ...listChannels(config).flatMap((channel) =>
      toTopic(HEARTBEAT_TYPE, findHeartbeatRoute(config, channel)),
    ),
  ];
}

const participantsByCode = new WeakMap<
  OperatorConfig['participants'],
  ReadonlyMap<string, ParticipantConfig>
>();

/** What the file has about a participant; undefined when it does not name it. */
export function findParticipant(
  { participants }: Pick<OperatorConfig, 'participants'>,
  code: string,
): ParticipantConfig | undefined {
  let byCode = participantsByCode.get(participants);
  if (byCode === undefined) {
    byCode = new Map(participants.map((each) => [each.code, each]));
    participantsByCode.set(participants, byCode);
  }
  return byCode.get(code);
}

/** The detection settings with this name; empty without a name or for an unknown profile. */
export function findProfile(
  { profiles = {} }: Pick<OperatorConfig, 'profiles'>,
  name: string | undefined,
): DetectionOptions {
  return (name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined) ?? {};
}
