import { logChannel, type Channel } from '../channels/channel.js';
import { DeliveryBook, roomIn } from './delivery-tracker.js';
import type { LogChannel, MessageLog, Position, Reader } from '../storage/message-log.js';

/** One channel within a subscription: how far it was sent, what is unacknowledged, and the stored position. */
export class Feed {
  readonly book = new DeliveryBook<Position>();
  /** There may be entries after `cursor`. */
  behind = true;
  /** Last entry sent; undefined before the first of the log. */
  cursor: Position | undefined;
  private unsaved: Position | undefined;
  private saving: Promise<void> | undefined;

  constructor(
    private channel: Channel,
    private readonly messages: MessageLog,
    private readonly reader: Reader,
  ) {}

  get fqcn(): Channel['fqcn'] {
    return this.channel.fqcn;
  }

  get logChannel(): LogChannel {
    return logChannel(this.channel);
  }

  /** Goes on from the stored position. @throws EngineUnavailableError */
  async open(): Promise<this> {
    this.cursor = await this.messages.position(this.logChannel, this.reader);
    return this;
  }

  /** Takes over changed limits; false when it is another channel of the same name, made anew. */
  refresh(channel: Channel): boolean {
    if (channel.createdDateTime !== this.channel.createdDateTime) return false;
    this.channel = channel;
    return true;
  }

  acknowledge(ids: readonly string[]): void {
    this.unsaved = this.book.acknowledge(ids) ?? this.unsaved;
  }

  /**
   * Stores the position reached; one store at a time, the newest wins.
   * @throws EngineUnavailableError; the position is kept and stored with the next call
   */
  async save(): Promise<void> {
    while (this.saving) await this.saving;
    const position = this.unsaved;
    if (position === undefined) return;
    this.saving = this.messages.movePosition(this.logChannel, this.reader, position).then(() => {
      if (this.unsaved === position) this.unsaved = undefined;
    });
    try {
      await this.saving;
    } finally {
      this.saving = undefined;
    }
  }
}

/** The channels of one subscription in the order of their turns, sharing its window. */
export class Feeds {
  private feeds: readonly Feed[] = [];
  private followed = false;

  constructor(
    private readonly messages: MessageLog,
    private readonly reader: Reader,
    /** Maximum of unacknowledged messages in all. */
    private readonly window: number,
  ) {}

  get names(): string[] {
    return this.feeds.map(({ fqcn }) => fqcn);
  }

  /** How many more messages may be sent. */
  get room(): number {
    return roomIn(
      this.window,
      this.feeds.map(({ book }) => book),
    );
  }

  /** The channel whose turn it is, of those that may have something to send. */
  get next(): Feed | undefined {
    return this.feeds.find(({ behind }) => behind);
  }

  find(fqcn: string): Feed | undefined {
    return this.feeds.find((feed) => feed.fqcn === fqcn);
  }

  /** A channel that had its turn waits for all others, so that a busy one starves none. */
  toEnd(feed: Feed): void {
    if (this.feeds.includes(feed)) this.feeds = [...this.feeds.filter((each) => each !== feed), feed];
  }

  /** There may be new messages on this channel, or (undefined) on any. Returns whether it is one of these. */
  wake(fqcn: string | undefined): boolean {
    const woken = this.feeds.filter((feed) => fqcn === undefined || feed.fqcn === fqcn);
    for (const feed of woken) feed.behind = true;
    return woken.length > 0;
  }

  /**
   * Goes on with the channels given, new ones from the reader's stored positions.
   * @returns whether this changed the channels, as the first call does, and the names of those that are followed no more
   * @throws EngineUnavailableError
   */
  async follow(channels: readonly Channel[]): Promise<{ changed: boolean; lost: readonly string[] }> {
    const before = this.feeds;
    const kept = before.filter((feed) =>
      channels.some((channel) => channel.fqcn === feed.fqcn && feed.refresh(channel)),
    );
    const added = channels.filter(({ fqcn }) => !kept.some((feed) => feed.fqcn === fqcn));
    const fresh = await Promise.all(
      added.map((channel) => new Feed(channel, this.messages, this.reader).open()),
    );
    this.feeds = [...kept, ...fresh];
    const lost = before.map(({ fqcn }) => fqcn).filter((fqcn) => !this.find(fqcn));
    const changed = !this.followed || fresh.length > 0 || lost.length > 0;
    this.followed = true;
    return { changed, lost };
  }

  /** Stores every position reached. @throws EngineUnavailableError when one could not be; those are stored with the next call */
  async save(): Promise<void> {
    await Promise.all(this.feeds.map((feed) => feed.save()));
  }
}
