import type { Message } from '@ssb/bus';
import type { SealedEvent } from '@ssb/events';
import { freshness, type FreshnessTerms } from './freshness.js';
import { rejected, type Rejection } from './rejection.js';

/** The bus files a message under this topic when its sender names none (broker's HTTP contract). */
const DEFAULT_TOPIC = 'default';

/**
 * The bus's signature covers the payload alone, so that a valid message can be put on another channel, or sent again later: what
 * the origin sealed inside must be what stands outside, and the bus must have taken it soon after.
 */
export function placeAndTime(
  message: Message,
  event: SealedEvent,
  terms: FreshnessTerms,
): Rejection | undefined {
  const { fqcn, topic = DEFAULT_TOPIC, transactionId, timestampNanos } = message;
  if (event.channel !== fqcn)
    return rejected('channel-mismatch', `the event was sealed for ${event.channel}`);
  if (event.topic !== topic)
    return rejected('topic-mismatch', `the event was sealed for topic ${event.topic}`);
  if (transactionId !== undefined && event.id !== transactionId) {
    return rejected('id-mismatch', `the event's id is ${event.id}`);
  }
  const signedAt = Date.parse(event.signedat);
  if (Number.isNaN(signedAt)) return rejected('schema', '/signedat is no date of the calendar');
  const verdict = freshness(signedAt, timestampNanos, terms);
  if (verdict === 'fresh') return undefined;
  return rejected(verdict, `the event was sealed at ${event.signedat}`, event.id);
}
