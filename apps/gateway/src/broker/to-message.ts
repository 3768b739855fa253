import type { Message, StreamMessage } from '@ssb/bus';

/** A message with the trace context of its delivery, which its client does not get. */
export interface DeliveredMessage extends Message {
  readonly traceparent?: string | undefined;
}

/** Converts a broker's message to the form of document 002, where `correlationId` is `transactionId`. */
export function toMessage({ correlationId, timestampNanos, ...rest }: StreamMessage): DeliveredMessage {
  return {
    ...rest,
    timestampNanos: BigInt(timestampNanos),
    ...(correlationId !== undefined && { transactionId: correlationId }),
  };
}
