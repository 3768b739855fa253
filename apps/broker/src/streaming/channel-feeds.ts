import { toLogChannel, type Channel } from '../channels/channel.js';
import type { LogChannel, MessageLog, Position, Reader } from '../storage/message-log.js';
import { availableWindow, ChannelAcknowledgements } from './channel-acknowledgements.js';

/** One channel of a subscription: how far it is sent, what is unacknowledged, and the stored position. */
export class ChannelFeed {
  readonly acknowledgements = new ChannelAcknowledgements<Position>();
  /** There may be entries after `cursor`. */
  mayHaveMore = true;
  private unsaved: Position | undefined;
  private saving: Promise<void> | undefined;

  private constructor(
    private channel: Channel,
    private readonly messages: MessageLog,
    private readonly reader: Reader,
    /** Last entry sent; undefined before the first of the log. */
    public cursor: Position | undefined,
  ) {}

  /** Continues from the stored position. @throws EngineUnavailableError */
  static async open(channel: Channel, messages: MessageLog, reader: Reader): Promise<ChannelFeed> {
    const position = await messages.getPosition(toLogChannel(channel), reader);
    return new ChannelFeed(channel, messages, reader, position);
  }

  get fqcn(): Channel['fqcn'] {
    return this.channel.fqcn;
  }

  get logChannel(): LogChannel {
    return toLogChannel(this.channel);
  }

  /** Applies changed limits; false when it is a new channel of the same name. */
  update(channel: Channel): boolean {
    if (channel.createdDateTime !== this.channel.createdDateTime) return false;
    this.channel = channel;
    return true;
  }

  acknowledge(ids: readonly string[]): void {
    this.unsaved = this.acknowledgements.acknowledge(ids) ?? this.unsaved;
  }

  /**
   * Stores the acknowledged position, one write at a time.
   * @throws EngineUnavailableError; the next call stores the position
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

  private async store(position: Position): Promise<void> {
    await this.messages.movePosition(this.logChannel, this.reader, position);
    if (this.unsaved === position) this.unsaved = undefined;
  }
}

/** The channels of one subscription in round-robin order; they share its window. */
export class ChannelRotation {
  private feeds: readonly ChannelFeed[] = [];
  private isInitialised = false;

  constructor(
    private readonly messages: MessageLog,
    private readonly reader: Reader,
    /** Maximum of unacknowledged messages in all channels. */
    private readonly window: number,
  ) {}

  get names(): string[] {
    return this.feeds.map(({ fqcn }) => fqcn);
  }

  /** How many more messages may be sent. */
  get availableWindow(): number {
    return availableWindow(
      this.window,
      this.feeds.map(({ acknowledgements }) => acknowledgements),
    );
  }

  /** The next channel that may have messages. */
  get next(): ChannelFeed | undefined {
    return this.feeds.find(({ mayHaveMore }) => mayHaveMore);
  }

  find(fqcn: string): ChannelFeed | undefined {
    return this.feeds.find((feed) => feed.fqcn === fqcn);
  }

  /** After its turn a channel waits for all others. */
  moveToEnd(feed: ChannelFeed): void {
    if (this.feeds.includes(feed)) this.feeds = [...this.feeds.filter((each) => each !== feed), feed];
  }

  /**
   * Marks a channel as behind, or all of them (undefined).
   * @returns whether the subscription has such a channel
   */
  markMayHaveMore(fqcn: string | undefined): boolean {
    const affected = this.feeds.filter((feed) => fqcn === undefined || feed.fqcn === fqcn);
    for (const feed of affected) feed.mayHaveMore = true;
    return affected.length > 0;
  }

  /**
   * Continues with the given channels; new ones start at the reader's stored positions.
   * @returns whether the channels changed, which is true for the first call, and the names of channels that left
   * @throws EngineUnavailableError
   */
  async setChannels(channels: readonly Channel[]): Promise<{ changed: boolean; left: readonly string[] }> {
    const before = this.feeds;
    const kept = before.filter((feed) =>
      channels.some((channel) => channel.fqcn === feed.fqcn && feed.update(channel)),
    );
    const added = channels.filter(({ fqcn }) => !kept.some((feed) => feed.fqcn === fqcn));
    const opened = await Promise.all(
      added.map((channel) => ChannelFeed.open(channel, this.messages, this.reader)),
    );
    this.feeds = [...kept, ...opened];
    const left = before.map(({ fqcn }) => fqcn).filter((fqcn) => !this.find(fqcn));
    const changed = !this.isInitialised || opened.length > 0 || left.length > 0;
    this.isInitialised = true;
    return { changed, left };
  }

  /** Stores every acknowledged position. @throws EngineUnavailableError; the next call stores the rest */
  async save(): Promise<void> {
    await Promise.all(this.feeds.map((feed) => feed.save()));
  }
}
