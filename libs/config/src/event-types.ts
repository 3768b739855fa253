import { EVENT_TYPES, matchesPattern, type EventType } from '@ssb/events';
import { findNearestName } from './nearest-name.js';

/** Prefix and version, which lists leave out. */
const PREFIX_AND_VERSION = /^settlementbus\.|\.v\d+$/g;

export const shortType = (type: string): string => type.replace(PREFIX_AND_VERSION, '');

/**
 * An event type or a pattern with *, as a person writes it: also without prefix and version, as in `margin.breached`.
 * @returns the whole type or pattern; undefined when no event type matches
 */
export function findTypePattern(text: string): string | undefined {
  const patterns = [text, `settlementbus.${text}`, `settlementbus.${text}.v1`];
  return patterns.find((pattern) => EVENT_TYPES.some((type) => matchesPattern(pattern, type)));
}

/** The event types that a person names, as in `margin.breached` or `margin.*`; empty when no event type matches. */
export function findEventTypes(text: string): readonly EventType[] {
  const pattern = findTypePattern(text);
  return pattern === undefined ? [] : EVENT_TYPES.filter((type) => matchesPattern(pattern, type));
}

/** What to give instead of an unknown type, in one sentence. */
export function suggestTypes(text: string, allowed: readonly string[] = EVENT_TYPES): string {
  const names = allowed.map(shortType);
  const nearest = findNearestName(shortType(text), names);
  return nearest === undefined ? `Give one of ${names.join(', ')}.` : `The nearest type is ${nearest}.`;
}
