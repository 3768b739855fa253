/** One message that was sent and not yet settled. */
interface Sent<P> {
  readonly id: string;
  readonly position: P;
  /** Of its payload. */
  readonly bytes: number;
  acknowledged: boolean;
}

/** Acknowledgements out of order are remembered up to this many times the window, so that memory stays bounded. */
const REMEMBERED_WINDOWS = 4;

/** The book of one channel within a subscription: what was sent, in log order, and how far it is acknowledged without a gap. */
export class DeliveryBook<P> {
  /** Messages sent and not acknowledged. */
  unacknowledged = 0;
  /** Bytes of their payload. */
  unacknowledgedBytes = 0;
  private readonly sent: Sent<P>[] = [];
  private readonly byId = new Map<string, Sent<P>>();

  /** Sent and still remembered: unacknowledged, or acknowledged after one that is not. */
  get remembered(): number {
    return this.sent.length;
  }

  record(id: string, position: P, bytes: number): void {
    const entry = { id, position, bytes, acknowledged: false };
    this.sent.push(entry);
    this.byId.set(id, entry);
    this.unacknowledged += 1;
    this.unacknowledgedBytes += bytes;
  }

  /** Settles ids; unknown and repeated ones are ignored. Returns the highest position reached without a gap, if it moved. */
  acknowledge(ids: readonly string[]): P | undefined {
    for (const id of ids) {
      const entry = this.byId.get(id);
      if (!entry || entry.acknowledged) continue;
      entry.acknowledged = true;
      this.unacknowledged -= 1;
      this.unacknowledgedBytes -= entry.bytes;
    }
    let settled = 0;
    while (this.sent[settled]?.acknowledged) settled += 1;
    const last = settled === 0 ? undefined : this.sent[settled - 1];
    for (const { id } of this.sent.splice(0, settled)) this.byId.delete(id);
    return last?.position;
  }
}

/**
 * Bytes of unacknowledged payload beyond which a subscription waits: a window counts messages, and somebody who does not read would
 * otherwise have a gateway hold a window full of the largest.
 */
export const MOST_UNACKNOWLEDGED_BYTES = 33_554_432;

/** How many more messages may be sent on a subscription, given its window and all its channels' books. */
export function roomIn(window: number, books: Iterable<DeliveryBook<unknown>>): number {
  let open = 0;
  let remembered = 0;
  let bytes = 0;
  for (const book of books) {
    open += book.unacknowledged;
    remembered += book.remembered;
    bytes += book.unacknowledgedBytes;
  }
  if (bytes >= MOST_UNACKNOWLEDGED_BYTES) return 0;
  return Math.max(0, Math.min(window - open, window * REMEMBERED_WINDOWS - remembered));
}
