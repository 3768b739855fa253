/** Limits of one batch. A batch has at least one message of any size. */
export interface BatchLimit {
  readonly messages: number;
  /** Total bytes of its messages. */
  readonly bytes: number;
}

interface QueuedItem<T> {
  readonly item: T;
  readonly bytes: number;
}

/**
 * A queue that serves channels round-robin, and each channel in order.
 * A message on a quiet channel does not wait for all messages of a busy one.
 */
export class FairQueue<T> {
  /** Channels with items. The first one has the next turn. */
  private readonly channels = new Map<string, QueuedItem<T>[]>();
  private itemCount = 0;
  private byteCount = 0;

  get length(): number {
    return this.itemCount;
  }

  get bytes(): number {
    return this.byteCount;
  }

  add(channel: string, item: T, bytes: number): void {
    const queued = this.channels.get(channel);
    if (queued) queued.push({ item, bytes });
    else this.channels.set(channel, [{ item, bytes }]);
    this.itemCount += 1;
    this.byteCount += bytes;
  }

  /**
   * Removes one item of each channel in turn until a limit is reached or the queue is empty.
   * @param isEligible selects the channels
   */
  take(limit: BatchLimit, isEligible: (channel: string) => boolean = () => true): T[] {
    const taken: T[] = [];
    let bytesLeft = limit.bytes;
    let round = [...this.channels.keys()].filter(isEligible);
    while (round.length > 0) {
      const nextRound: string[] = [];
      for (const channel of round) {
        const queued = this.channels.get(channel) ?? [];
        const [first] = queued;
        if (first === undefined) continue;
        const isFull = taken.length >= limit.messages || (taken.length > 0 && first.bytes > bytesLeft);
        if (isFull) return taken;
        bytesLeft -= first.bytes;
        taken.push(first.item);
        this.removeFirst(channel, queued, first);
        if (queued.length > 0) nextRound.push(channel);
      }
      round = nextRound;
    }
    return taken;
  }

  /** Removes the first item of a channel. The channel then has the last turn. */
  private removeFirst(channel: string, queued: QueuedItem<T>[], first: QueuedItem<T>): void {
    queued.shift();
    this.channels.delete(channel);
    if (queued.length > 0) this.channels.set(channel, queued);
    this.itemCount -= 1;
    this.byteCount -= first.bytes;
  }
}
