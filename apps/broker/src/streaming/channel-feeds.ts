import { toLogChannel, type Channel } from '../channels/channel.js';
import type { LogChannel, LogPage, MessageLog, Offset, PageLimits, Reader } from '../storage/message-log.js';
import type { ReaderStart } from '../storage/redis/reader-start.store.js';
import { availableWindow, ChannelAcknowledgements } from './channel-acknowledgements.js';

/**
 * Finds where the reader begins in channels without a stored offset.
 * @param isKnown whether the reader has a stored offset in a channel
 * @throws EngineUnavailableError
 */
export type FindStart = (isKnown: boolean) => Promise<ReaderStart>;

/** One channel of a subscription: the last entry sent, the unacknowledged messages and the stored offset. */
export class ChannelFeed {
  readonly acknowledgements = new ChannelAcknowledgements();
  /** Whether there may be entries after `cursor`. */
  mayHaveMore = true;
  /** Where to read without a cursor; undefined: from the first entry. */
  private since: Date | undefined;
  private unsaved: Offset | undefined;
  private saving: Promise<void> | undefined;

  private constructor(
    private channel: Channel,
    private readonly messageLog: MessageLog,
    private readonly reader: Reader,
    /** Last entry sent; undefined before the first of the log. */
    public cursor: Offset | undefined,
  ) {}

  /** Continues from the stored offset. @throws EngineUnavailableError */
  static async open(channel: Channel, messageLog: MessageLog, reader: Reader): Promise<ChannelFeed> {
    const offset = await messageLog.getOffset(toLogChannel(channel), reader);
    return new ChannelFeed(channel, messageLog, reader, offset);
  }

  /** Applies the start of the reader, unless the channel has a stored offset. @throws EngineUnavailableError */
  async beginAt({ since, isAtEnd }: ReaderStart): Promise<void> {
    if (this.cursor !== undefined) return;
    this.since = since;
    if (!isAtEnd) return;
    const end = await this.messageLog.getEnd(this.logChannel);
    await this.messageLog.moveOffset(this.logChannel, this.reader, end);
    this.cursor = end;
  }

  /** @throws EngineUnavailableError */
  read(limits: PageLimits): Promise<LogPage> {
    const { messageLog, logChannel, cursor, since } = this;
    if (cursor !== undefined || since === undefined) return messageLog.readAfter(logChannel, cursor, limits);
    return messageLog.readFrom(logChannel, since, limits);
  }

  get fqcn(): Channel['fqcn'] {
    return this.channel.fqcn;
  }

  get logChannel(): LogChannel {
    return toLogChannel(this.channel);
  }

  /** Applies changed limits. @returns false when this is a new channel of the same name */
  update(channel: Channel): boolean {
    if (channel.createdDateTime !== this.channel.createdDateTime) return false;
    this.channel = channel;
    return true;
  }

  acknowledge(ids: readonly string[]): void {
    this.unsaved = this.acknowledgements.acknowledge(ids) ?? this.unsaved;
  }

  /**
   * Stores the acknowledged offset, one write at a time.
   * @throws EngineUnavailableError; the next call stores the offset
   */
  async save(): Promise<void> {
    while (this.saving) await this.saving;
    if (this.unsaved === undefined) return;
    this.saving = this.store(this.unsaved);
    try {
      await this.saving;
    } finally {
      this.saving = undefined;
    }
  }

  private async store(offset: Offset): Promise<void> {
    await this.messageLog.moveOffset(this.logChannel, this.reader, offset);
    if (this.unsaved === offset) this.unsaved = undefined;
  }
}

/** The channels of one subscription. They share its window and are served round-robin. */
export class ChannelRotation {
  /** By channel name. The first feed has the next turn. */
  private feeds: Map<string, ChannelFeed> = new Map();
  private isInitialised = false;

  constructor(
    private readonly messageLog: MessageLog,
    private readonly reader: Reader,
    /** Maximum number of unacknowledged messages of all channels together. */
    private readonly window: number,
    private readonly findStart: FindStart,
  ) {}

  get names(): string[] {
    return [...this.feeds.keys()];
  }

  /** Number of messages that may be sent now. */
  get availableWindow(): number {
    return availableWindow(
      this.window,
      [...this.feeds.values()].map(({ acknowledgements }) => acknowledgements),
    );
  }

  /** The next channel that may have messages. */
  get nextFeed(): ChannelFeed | undefined {
    for (const feed of this.feeds.values()) if (feed.mayHaveMore) return feed;
    return undefined;
  }

  find(fqcn: string): ChannelFeed | undefined {
    return this.feeds.get(fqcn);
  }

  /** Called after the turn of a channel. */
  moveToEnd(feed: ChannelFeed): void {
    if (this.feeds.get(feed.fqcn) !== feed) return;
    this.feeds.delete(feed.fqcn);
    this.feeds.set(feed.fqcn, feed);
  }

  /**
   * Marks one channel, or every channel (undefined). Every subscription of the broker runs this for each append.
   * @returns whether the subscription has the channel
   */
  markMayHaveMore(fqcn: string | undefined): boolean {
    if (fqcn === undefined) {
      for (const feed of this.feeds.values()) feed.mayHaveMore = true;
      return this.feeds.size > 0;
    }
    const feed = this.feeds.get(fqcn);
    if (feed) feed.mayHaveMore = true;
    return feed !== undefined;
  }

  /**
   * Keeps, adds and removes channels. An added channel starts at the reader's stored offset.
   * @returns whether the channels changed, which is true for the first call, and the names of the removed ones
   * @throws EngineUnavailableError
   */
  async setChannels(channels: readonly Channel[]): Promise<{ changed: boolean; removed: readonly string[] }> {
    const before = [...this.feeds.values()];
    const kept = before.filter((feed) =>
      channels.some((channel) => channel.fqcn === feed.fqcn && feed.update(channel)),
    );
    const added = channels.filter(({ fqcn }) => !kept.some((feed) => feed.fqcn === fqcn));
    const opened = await Promise.all(
      added.map((channel) => ChannelFeed.open(channel, this.messageLog, this.reader)),
    );
    await this.begin(kept, opened);
    this.feeds = new Map([...kept, ...opened].map((feed) => [feed.fqcn, feed]));
    const removed = before.map(({ fqcn }) => fqcn).filter((fqcn) => !this.find(fqcn));
    const changed = !this.isInitialised || opened.length > 0 || removed.length > 0;
    this.isInitialised = true;
    return { changed, removed };
  }

  private async begin(kept: readonly ChannelFeed[], opened: readonly ChannelFeed[]): Promise<void> {
    const isKnown = [...kept, ...opened].some(({ cursor }) => cursor !== undefined);
    const start = await this.findStart(isKnown);
    await Promise.all(opened.map((feed) => feed.beginAt(start)));
  }

  /** Stores every acknowledged offset. @throws EngineUnavailableError; the next call stores the rest */
  async save(): Promise<void> {
    await Promise.all([...this.feeds.values()].map((feed) => feed.save()));
  }
}
