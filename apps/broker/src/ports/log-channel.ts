import { retentionMs, type Channel } from '../domain/channel.js';
import type { LogChannel } from './message-log.js';

/** What the log needs to know of a channel. */
export function logChannel(channel: Channel): LogChannel {
  const { fqcn, createdDateTime, maxMsgSize } = channel;
  return {
    fqcn,
    made: Date.parse(createdDateTime),
    retentionMs: retentionMs(channel),
    largestMessage: maxMsgSize,
  };
}
