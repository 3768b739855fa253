import { findEventTypes, findTypePattern, shortType, suggestTypes } from '@ssb/config';
import { DIGEST_DELIVERY_TYPE } from '@ssb/events';
import { InvalidArgumentError } from 'commander';

/** For an option that may be repeated. @returns types and patterns that match */
export function collectTypePatterns(text: string, earlier: readonly string[] = []): string[] {
  const pattern = findTypePattern(text);
  if (pattern === undefined) throw new InvalidArgumentError(`No event type matches. ${suggestTypes(text)}`);
  return [...earlier, pattern];
}

/** As `collectTypePatterns`, with the types that match a pattern. */
export function collectTypes(text: string, earlier: readonly string[] = []): string[] {
  const types = collectTypePatterns(text).flatMap(findEventTypes);
  return [...new Set<string>([...earlier, ...types])];
}

/** As `collectTypes`, or the type of a digest. */
export function collectDeliveryTypes(text: string, earlier: readonly string[] = []): string[] {
  const isDigest = [DIGEST_DELIVERY_TYPE, shortType(DIGEST_DELIVERY_TYPE)].includes(text);
  return isDigest ? [...new Set([...earlier, DIGEST_DELIVERY_TYPE])] : collectTypes(text, earlier);
}
