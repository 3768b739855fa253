/** Bounds of one request to the broker; whichever is reached first, but never fewer than one message. */
export interface LoadLimit {
  readonly messages: number;
  /** Bytes of all its messages. */
  readonly bytes: number;
}

interface Waiting<T> {
  readonly item: T;
  readonly bytes: number;
}

/**
 * Messages that wait to be sent: those of one channel in the order in which they came, the channels by turns. So a message on a quiet
 * channel waits for the next request and not for all that waits on a busy one.
 */
export class OutgoingLine<T> {
  /** Channels with something waiting; whose turn is next stands first. */
  private readonly channels = new Map<string, Waiting<T>[]>();
  private count = 0;
  private size = 0;

  /** Messages that wait. */
  get length(): number {
    return this.count;
  }

  /** Bytes that wait. */
  get bytes(): number {
    return this.size;
  }

  add(channel: string, item: T, bytes: number): void {
    const waiting = this.channels.get(channel);
    if (waiting) waiting.push({ item, bytes });
    else this.channels.set(channel, [{ item, bytes }]);
    this.count += 1;
    this.size += bytes;
  }

  /**
   * Takes what one request carries: one message of each channel in turn, until a bound is reached or nothing waits.
   * @param mayGo the channels that take part
   */
  take(limit: LoadLimit, mayGo: (channel: string) => boolean = () => true): T[] {
    const taken: T[] = [];
    let room = limit.bytes;
    let row = [...this.channels.keys()].filter(mayGo);
    while (row.length > 0) {
      const further: string[] = [];
      for (const channel of row) {
        const waiting = this.channels.get(channel) ?? [];
        const [first] = waiting;
        if (first === undefined) continue;
        const isFull = taken.length >= limit.messages || (taken.length > 0 && first.bytes > room);
        if (isFull) return taken;
        room -= first.bytes;
        taken.push(first.item);
        this.remove(channel, waiting, first);
        if (waiting.length > 0) further.push(channel);
      }
      row = further;
    }
    return taken;
  }

  /** The first of a channel, which then goes to the end of the row of channels. */
  private remove(channel: string, waiting: Waiting<T>[], first: Waiting<T>): void {
    waiting.shift();
    this.channels.delete(channel);
    if (waiting.length > 0) this.channels.set(channel, waiting);
    this.count -= 1;
    this.size -= first.bytes;
  }
}
