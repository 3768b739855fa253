import { startSpan, type TraceSpan } from '@ssb/platform';
import type { DeliveredMessage } from '../broker/to-message.js';

/** Messages as the client receives them, and the spans of their delivery. Only a message that the broker traces has one. */
export interface TracedMessages {
  readonly messages: readonly DeliveredMessage[];
  readonly spans: readonly TraceSpan[];
}

/** A message that the socket never accepts has no span, because its span is not ended. */
export function traceMessages(delivered: readonly DeliveredMessage[]): TracedMessages {
  return { messages: delivered.map(withoutContext), spans: delivered.flatMap(startDelivery) };
}

function startDelivery({ traceparent: parent, fqcn: channel, topic, id }: DeliveredMessage): TraceSpan[] {
  if (parent === undefined) return [];
  const attributes = { channel, topic, messageId: id };
  return [startSpan('message deliver', { kind: 'consumer', parent, attributes })];
}

/** JSON omits undefined fields. */
function withoutContext(message: DeliveredMessage): DeliveredMessage {
  return message.traceparent === undefined ? message : { ...message, traceparent: undefined };
}
