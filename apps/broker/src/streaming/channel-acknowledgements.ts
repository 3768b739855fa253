import type { Offset } from '../storage/message-log.js';

/** A message that was sent and is not yet part of the acknowledged offset. */
interface SentMessage {
  readonly id: string;
  readonly offset: Offset;
  /** Size of its payload. */
  readonly bytes: number;
  isAcknowledged: boolean;
}

/** Acknowledgements out of order are tracked up to this many times the window, so that memory stays bounded. */
const MAX_TRACKED_WINDOWS = 4;

/** The sent messages of one channel in a subscription, in log order, and how far they are acknowledged without a gap. */
export class ChannelAcknowledgements {
  unacknowledged = 0;
  /** Payload bytes of the unacknowledged messages. */
  unacknowledgedBytes = 0;
  private readonly sent: SentMessage[] = [];
  private readonly byId = new Map<string, SentMessage>();

  /** Unacknowledged messages, and acknowledged ones after them. */
  get tracked(): number {
    return this.sent.length;
  }

  recordSent(id: string, offset: Offset, bytes: number): void {
    const entry = { id, offset, bytes, isAcknowledged: false };
    this.sent.push(entry);
    this.byId.set(id, entry);
    this.unacknowledged += 1;
    this.unacknowledgedBytes += bytes;
  }

  /**
   * Ignores unknown and repeated ids.
   * @returns the last offset before the first unacknowledged message, if it moved
   */
  acknowledge(ids: readonly string[]): Offset | undefined {
    for (const id of ids) {
      const entry = this.byId.get(id);
      if (!entry || entry.isAcknowledged) continue;
      entry.isAcknowledged = true;
      this.unacknowledged -= 1;
      this.unacknowledgedBytes -= entry.bytes;
    }
    let done = 0;
    while (this.sent[done]?.isAcknowledged) done += 1;
    const last = done === 0 ? undefined : this.sent[done - 1];
    for (const { id } of this.sent.splice(0, done)) this.byId.delete(id);
    return last?.offset;
  }
}

/** A window counts messages; this limits the payload that a gateway holds for a client that does not acknowledge. */
export const MAX_UNACKNOWLEDGED_BYTES = 33_554_432;

/** The number of messages that a subscription may still send, by its window and all its channels. */
export function availableWindow(window: number, channels: Iterable<ChannelAcknowledgements>): number {
  let unacknowledged = 0;
  let tracked = 0;
  let bytes = 0;
  for (const acknowledgements of channels) {
    unacknowledged += acknowledgements.unacknowledged;
    tracked += acknowledgements.tracked;
    bytes += acknowledgements.unacknowledgedBytes;
  }
  if (bytes >= MAX_UNACKNOWLEDGED_BYTES) return 0;
  return Math.max(0, Math.min(window - unacknowledged, window * MAX_TRACKED_WINDOWS - tracked));
}
