import type { BusMessage, Message } from '@ssb/bus';

/** The broker's message as document 002 shows it: `correlationId` is the `transactionId`. */
export function messageOf({ correlationId, timestampNanos, ...rest }: BusMessage): Message {
  return {
    ...rest,
    timestampNanos: BigInt(timestampNanos),
    ...(correlationId !== undefined && { transactionId: correlationId }),
  };
}
