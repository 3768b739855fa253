import { isTracing, startSpan, type TraceSpan } from '@ssb/platform';
import type { SentDelivery } from './outbox/pending-delivery.js';

/** The span of one attempt. Its parent is the detection, as the archived event names it. */
export function startDeliverySpan(sink: string, delivery: SentDelivery): TraceSpan {
  const { eventId, type: eventType, subject, channel, messageId, attempts } = delivery;
  return startSpan('event deliver', {
    kind: 'client',
    // Parsing a large event costs time.
    parent: isTracing() ? readTraceparent(delivery.text) : undefined,
    attributes: { eventId, eventType, subject, channel, messageId, sink, attempt: attempts + 1 },
  });
}

function readTraceparent(text: string): unknown {
  try {
    return (JSON.parse(text) as { traceparent?: unknown } | null)?.traceparent;
  } catch {
    return undefined;
  }
}
