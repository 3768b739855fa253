import { findNearestName } from '@ssb/config';
import { DIGEST_DELIVERY_TYPE, EVENT_TYPES, matchesPattern, type EventType } from '@ssb/events';
import { InvalidArgumentError } from 'commander';

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

/** For an option that may be repeated. @returns types and patterns that match */
export function collectTypePatterns(text: string, earlier: readonly string[] = []): string[] {
  const pattern = findTypePattern(text);
  if (pattern === undefined) throw new InvalidArgumentError(`No event type matches. ${suggestTypes(text)}`);
  return [...earlier, pattern];
}

/** As `collectTypePatterns`, with the types that match a pattern. */
export function collectTypes(text: string, earlier: readonly string[] = []): string[] {
  const patterns = collectTypePatterns(text);
  const types = EVENT_TYPES.filter((type) => patterns.some((pattern) => matchesPattern(pattern, type)));
  return [...new Set<string>([...earlier, ...types])];
}

/** As `collectTypes`, or the type of a digest. */
export function collectDeliveryTypes(text: string, earlier: readonly string[] = []): string[] {
  const isDigest = [DIGEST_DELIVERY_TYPE, shortType(DIGEST_DELIVERY_TYPE)].includes(text);
  return isDigest ? [...new Set([...earlier, DIGEST_DELIVERY_TYPE])] : collectTypes(text, earlier);
}

/** What to give instead of an unknown type, in one sentence. */
export function suggestTypes(text: string, allowed: readonly EventType[] = EVENT_TYPES): string {
  const names = allowed.map(shortType);
  const nearest = findNearestName(shortType(text), names);
  return nearest === undefined ? `Give one of ${names.join(', ')}.` : `The nearest type is ${nearest}.`;
}
