import { hash } from 'node:crypto';
import type { Position } from '../storage/message-log.js';
import type { Fqcn } from '../channels/names.js';

const TAG_DIGITS = 12;

/**
 * A message's id on the bus: its place in the channel's log and a digest of the channel, because a client that acknowledges across
 * several channels names ids alone.
 */
export function messageId(fqcn: Fqcn, position: Position): string {
  return `${position}-${tagOf(fqcn)}`;
}

/** Where a message lies in the channel's log, or lay: the log may have no such place. Undefined for an id of another channel, or none. */
export function positionIn(fqcn: Fqcn, id: string): Position | undefined {
  const [, position, tag] = MESSAGE_ID.exec(id) ?? [];
  return tag === tagOf(fqcn) ? (position as Position) : undefined;
}

/** Both engines write a place as two whole numbers. */
const MESSAGE_ID = /^(\d{1,15}-\d{1,15})-([0-9a-f]+)$/;

function tagOf(fqcn: Fqcn): string {
  return hash('sha256', fqcn, 'hex').slice(0, TAG_DIGITS);
}
