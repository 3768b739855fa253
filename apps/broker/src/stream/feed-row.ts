import type { Channel } from '../domain/channel.js';
import { roomIn } from '../domain/delivery-window.js';
import type { MessageLog, Reader } from '../ports/message-log.js';
import { ChannelFeed } from './channel-feed.js';

/** What following another set of channels changed. */
export interface Following {
  readonly added: boolean;
  /** Names of channels that are followed no more. */
  readonly lost: readonly string[];
}

/** The channels of one subscription in the order of their turns, sharing its window. */
export class FeedRow {
  private feeds: readonly ChannelFeed[] = [];

  constructor(
    private readonly messages: MessageLog,
    private readonly reader: Reader,
    /** Most unacknowledged messages in all. */
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
  get next(): ChannelFeed | undefined {
    return this.feeds.find(({ behind }) => behind);
  }

  find(fqcn: string): ChannelFeed | undefined {
    return this.feeds.find((feed) => feed.fqcn === fqcn);
  }

  /** A channel that had its turn waits for all others, so that a busy one starves nobody. */
  toEnd(feed: ChannelFeed): void {
    if (this.feeds.includes(feed)) this.feeds = [...this.feeds.filter((each) => each !== feed), feed];
  }

  /** There may be new messages on this channel, or (undefined) on any. Returns whether it is one of these. */
  wake(fqcn: string | undefined): boolean {
    let concerned = false;
    for (const feed of this.feeds) {
      if (fqcn !== undefined && feed.fqcn !== fqcn) continue;
      feed.behind = true;
      concerned = true;
    }
    return concerned;
  }

  /** Goes on with the channels given, those new here from the reader's stored positions. @throws EngineUnavailableError */
  async follow(channels: readonly Channel[]): Promise<Following> {
    const before = this.feeds;
    const kept = before.filter((feed) =>
      channels.some((channel) => channel.fqcn === feed.fqcn && feed.refresh(channel)),
    );
    const added = channels.filter(({ fqcn }) => !kept.some((feed) => feed.fqcn === fqcn));
    const fresh = await Promise.all(
      added.map(async (channel) => {
        const feed = new ChannelFeed(channel, this.messages, this.reader, undefined);
        feed.cursor = await this.messages.position(feed.logChannel, this.reader);
        return feed;
      }),
    );
    this.feeds = [...kept, ...fresh];
    const lost = before.map(({ fqcn }) => fqcn).filter((fqcn) => !this.find(fqcn));
    return { added: fresh.length > 0, lost };
  }

  /** Stores every position reached. @throws EngineUnavailableError when one could not be; those are stored with the next call */
  async save(): Promise<void> {
    await Promise.all(this.feeds.map((feed) => feed.save()));
  }
}
