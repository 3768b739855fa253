import { isTracing, startSpan, type TraceSpan } from '@ssb/tracing';
import type { PendingAlert } from '../storage/alert-outbox.js';

/** The span of one attempt. Its parent is the detection, as the archived event names it. */
export function startDeliverySpan(sink: string, alert: PendingAlert): TraceSpan {
  const { eventId, type: eventType, subject, channel, messageId, attempts } = alert;
  return startSpan('alert deliver', {
    kind: 'client',
    // A large event is not parsed for nothing.
    parent: isTracing() ? readTraceparent(alert.text) : undefined,
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
