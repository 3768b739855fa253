import { hash } from 'node:crypto';
import type { BusMessage, Gap } from '@ssb/bus';
import type { Fqcn } from '../channels/names.js';
import type { LogEntry, Gap as LogGap, Offset } from '../storage/message-log.js';

/** Number of hexadecimal digits of the channel's digest in a message id. */
const DIGEST_LENGTH = 12;

/** Both storage engines write an offset as two integers. */
const MESSAGE_ID = /^(\d{1,15}-\d{1,15})-([0-9a-f]+)$/;

/**
 * A message's id: its offset in the channel's log and a digest of the channel. A client acknowledges messages of several channels by
 * id alone, so ids differ between channels.
 */
export function toMessageId(fqcn: Fqcn, offset: Offset): string {
  return `${offset}-${digest(fqcn)}`;
}

/** @returns the offset, which may not exist in the channel's log; undefined when the id is not one of this channel */
export function parseMessageId(fqcn: Fqcn, id: string): Offset | undefined {
  const [, offset, channelDigest] = MESSAGE_ID.exec(id) ?? [];
  return channelDigest === digest(fqcn) ? (offset as Offset) : undefined;
}

function digest(fqcn: Fqcn): string {
  return hash('sha256', fqcn, 'hex').slice(0, DIGEST_LENGTH);
}

/** A log entry in the broker's wire format. */
export function toBusMessage(
  fqcn: Fqcn,
  { offset, timestampNanos, topic, payload, signature, sender, correlationId }: LogEntry,
): BusMessage {
  return {
    id: toMessageId(fqcn, offset),
    fqcn,
    topic,
    payload,
    signature,
    sender,
    timestampNanos: timestampNanos.toString(),
    ...(correlationId !== undefined && { correlationId }),
  };
}

/** A gap in the log in the broker's wire format. */
export function toBusGap(fqcn: Fqcn, { after, upTo }: LogGap): Gap {
  return { after: toMessageId(fqcn, after), upTo: toMessageId(fqcn, upTo) };
}
