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

interface Outgoing<T> {
  readonly item: T;
  readonly channel: string;
}

/** What one request carries. */
export interface Load<T> {
  readonly items: readonly T[];
  readonly channels: ReadonlySet<string>;
}

/** Requests under way at once with messages of one channel: while the broker works on one, the next is on its way to it, and one back. */
export const MOST_OF_A_CHANNEL = 3;

/** Requests under way at once, of all channels. */
const MOST_UNDER_WAY = 8;

/**
 * Small enough for the broker to serve others in between, and for gateway and broker to work at the same time: with 64 messages each
 * waited for the other, and a third less was published.
 */
const LIMIT: LoadLimit = { messages: 16, bytes: 262_144 };

/**
 * Which of the waiting messages go with the next request, and when there is one: at once while few requests carry their channel. Channels
 * that fewer requests carry go first, and by themselves: so a message on a quiet channel waits for no busy one, neither here nor at the
 * broker, where a request's messages are appended once all of them are judged. Pure but for the memory of what waits and is under way.
 */
export class OutgoingLoads<T> {
  private readonly line = new OutgoingLine<Outgoing<T>>();
  /** Requests under way that carry a channel's messages. */
  private readonly carrying = new Map<string, number>();
  private underWay = 0;

  /** Messages that wait. */
  get waiting(): number {
    return this.line.length;
  }

  /** Bytes that wait. */
  get waitingBytes(): number {
    return this.line.bytes;
  }

  add(channel: string, item: T, bytes: number): void {
    this.line.add(channel, { item, channel }, bytes);
  }

  /** The next request's load, which is under way from now on until it has `ended`; undefined when nothing is to be sent now. */
  next(): Load<T> | undefined {
    if (this.line.length === 0 || this.underWay >= MOST_UNDER_WAY) return undefined;
    for (let carried = 0; carried < MOST_OF_A_CHANNEL; carried += 1) {
      const taken = this.line.take(LIMIT, (channel) => this.carriedBy(channel) === carried);
      if (taken.length > 0) return this.begin(taken);
    }
    return undefined;
  }

  ended({ channels }: Load<T>): void {
    this.underWay -= 1;
    for (const channel of channels) {
      const left = this.carriedBy(channel) - 1;
      if (left > 0) this.carrying.set(channel, left);
      else this.carrying.delete(channel);
    }
  }

  private begin(taken: readonly Outgoing<T>[]): Load<T> {
    const channels = new Set(taken.map(({ channel }) => channel));
    for (const channel of channels) this.carrying.set(channel, this.carriedBy(channel) + 1);
    this.underWay += 1;
    return { items: taken.map(({ item }) => item), channels };
  }

  private carriedBy(channel: string): number {
    return this.carrying.get(channel) ?? 0;
  }
}
