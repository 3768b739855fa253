import type { BusMessage, StreamMessage } from '@ssb/bus';
import { startSpan, type TraceSpan } from '@ssb/platform';
import type { Fqcn } from '../channels/names.js';
import { toBusMessage } from '../messages/bus-message.js';
import type { LogEntry } from '../storage/message-log.js';

/** Messages for the stream, and the spans of their delivery. A message that was stored without a trace has none. */
export interface TracedMessages {
  readonly messages: StreamMessage[];
  readonly spans: readonly TraceSpan[];
}

export function traceMessages(fqcn: Fqcn, entries: readonly LogEntry[]): TracedMessages {
  const spans: TraceSpan[] = [];
  const messages = entries.map((entry): StreamMessage => {
    const message = toBusMessage(fqcn, entry);
    if (entry.traceparent === undefined) return message;
    const span = startDelivery(message, entry.traceparent);
    spans.push(span);
    return { ...message, traceparent: span.traceparent };
  });
  return { messages, spans };
}

function startDelivery({ fqcn: channel, topic, id: messageId }: BusMessage, parent: string): TraceSpan {
  return startSpan('message deliver', {
    kind: 'producer',
    parent,
    attributes: { channel, topic, messageId },
  });
}
