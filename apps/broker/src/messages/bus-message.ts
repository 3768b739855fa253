import { hash } from 'node:crypto';
import type { BusMessage, Gap } from '@ssb/bus';
import type { Fqcn } from '../channels/names.js';
import type { LogEntry, Gap as LogGap, Position } from '../storage/message-log.js';

/** Hexadecimal digits of the channel's digest in a message id. */
const DIGEST_LENGTH = 12;

/** Both engines write a position as two whole numbers. */
const MESSAGE_ID = /^(\d{1,15}-\d{1,15})-([0-9a-f]+)$/;

/**
 * A message's id: its position in the channel's log and a digest of the channel. A client that acknowledges across channels sends ids
 * alone, so they must differ between channels.
 */
export function toMessageId(fqcn: Fqcn, position: Position): string {
  return `${position}-${digest(fqcn)}`;
}

/** The position in the channel's log; undefined for an id of another channel or any other text. The position may not exist. */
export function parseMessageId(fqcn: Fqcn, id: string): Position | undefined {
  const [, position, channelDigest] = MESSAGE_ID.exec(id) ?? [];
  return channelDigest === digest(fqcn) ? (position as Position) : undefined;
}

function digest(fqcn: Fqcn): string {
  return hash('sha256', fqcn, 'hex').slice(0, DIGEST_LENGTH);
}

/** An entry of the log in the broker's wire form. */
export function toBusMessage(
  fqcn: Fqcn,
  { position, timestampNanos, topic, payload, signature, sender, correlationId }: LogEntry,
): BusMessage {
  return {
    id: toMessageId(fqcn, position),
    fqcn,
    topic,
    payload,
    signature,
    sender,
    timestampNanos: timestampNanos.toString(),
    ...(correlationId !== undefined && { correlationId }),
  };
}

/** A gap of the log in the broker's wire form. */
export function toBusGap(fqcn: Fqcn, { after, upTo }: LogGap): Gap {
  return { after: toMessageId(fqcn, after), upTo: toMessageId(fqcn, upTo) };
}
