import type { BusMessage, Message } from '@ssb/bus';

/** Converts a broker's message to the form of document 002, where `correlationId` is `transactionId`. */
export function toMessage({ correlationId, timestampNanos, ...rest }: BusMessage): Message {
  return {
    ...rest,
    timestampNanos: BigInt(timestampNanos),
    ...(correlationId !== undefined && { transactionId: correlationId }),
  };
}
