import { hash } from 'node:crypto';
import type { Position } from '../ports/message-log.js';
import type { Fqcn } from './names.js';

const TAG_DIGITS = 12;

/**
 * A message's id on the bus: its place in the channel's log and a digest of the channel, because a client that acknowledges across
 * several channels names ids alone.
 */
export function messageId(fqcn: Fqcn, position: Position): string {
  return `${position}-${hash('sha256', fqcn, 'hex').slice(0, TAG_DIGITS)}`;
}
