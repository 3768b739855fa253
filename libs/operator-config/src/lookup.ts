import { TOPIC_OF, type EventType } from '@ssb/events';
import type { MarginThresholds, OperatorConfig } from './schema.js';

export interface Route {
  /** Fully qualified channel name. */
  readonly channel: string;
  readonly topic: string;
}

export interface AlertDecision {
  /** Sinks that receive the event, each once. */
  readonly sinks: readonly string[];
  /** Whether it stands out as an alert. */
  readonly alert: boolean;
}

/** Whether an event type matches a pattern, in which `*` stands for any text. */
export function matches(pattern: string, type: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === type;
  const last = rest.pop() ?? '';
  if (!type.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = type.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return type.length >= at + last.length && type.endsWith(last);
}

/** Where an event goes: the first route that matches; undefined when none does. */
export function routeOf(config: OperatorConfig, type: EventType): Route | undefined {
  const route = config.routes.find(({ types }) => types.some((pattern) => matches(pattern, type)));
  return route && { channel: route.channel, topic: route.topic ?? TOPIC_OF[type] };
}

/** Thresholds of a participant; undefined when the file does not name it. */
export function marginThresholds(config: OperatorConfig, participant: string): MarginThresholds | undefined {
  return config.participants.find(({ code }) => code === participant)?.margin;
}

/** Which sinks hear of an event: the union of the rules that match it. */
export function alertDecision(config: OperatorConfig, type: string): AlertDecision {
  const rules = config.alerts.rules.filter(({ types }) => types.some((pattern) => matches(pattern, type)));
  return {
    sinks: [...new Set(rules.flatMap(({ sinks }) => sinks))],
    alert: rules.some(({ alert }) => alert),
  };
}

export interface TrustedSenders {
  readonly gateways: readonly string[];
  readonly origins: readonly string[];
}

/** Who is believed on a channel: DIDs of gateways that may post, DIDs of bridges that may state facts. Empty: nobody. */
export function trustedSenders(config: OperatorConfig, channel: string): TrustedSenders {
  const entries = config.senders.filter((entry) => entry.channel === channel);
  return {
    gateways: entries.flatMap(({ gateways }) => gateways),
    origins: entries.flatMap(({ origins }) => origins),
  };
}
