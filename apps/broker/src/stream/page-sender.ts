import type { SubscribeRequest } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import { messageId } from '../domain/message-id.js';
import type { Gap } from '../ports/message-log.js';
import { busMessage, PAGE_BYTES } from '../read-messages.js';
import type { ChannelFeed } from './channel-feed.js';
import type { FeedRow } from './feed-row.js';
import type { Outlet } from './outlet.js';
import type { StreamTurns } from './stream-turns.js';
import type { SubscriptionParts } from './subscription.js';

/** Most messages of one channel in a row: a quiet one waits no longer than it takes to send these. */
const TURN = 32;

/** Payload bytes of a page; of a channel with larger messages, as many as one of them. */
const USUAL_PAGE_BYTES = 1_048_576;

/** Sends a subscription's messages, a page at a time. */
export class PageSender {
  constructor(
    private readonly did: Did,
    private readonly request: SubscribeRequest,
    private readonly outlet: Outlet,
    private readonly parts: SubscriptionParts,
    private readonly turns: StreamTurns,
    /** Whether sending is still wanted. */
    private readonly wanted: () => boolean,
  ) {}

  /**
   * Sends what comes next on a channel, which then goes to the end of the row. Waits for its turn before it reads: a client that does not
   * read its socket would otherwise have a page in memory for each of its subscriptions. False, having sent nothing, when the right to read
   * it is gone.
   * @throws EngineUnavailableError, StreamClosedError; the channel then stays behind
   */
  async send(feed: ChannelFeed, row: FeedRow): Promise<boolean> {
    const bytes = Math.min(PAGE_BYTES, Math.max(USUAL_PAGE_BYTES, feed.largestMessage));
    return this.turns.page(bytes, async () => {
      if (!this.wanted()) return true;
      feed.behind = false;
      try {
        return await this.sendPage(feed, row, bytes);
      } catch (error) {
        feed.behind = true;
        throw error;
      }
    });
  }

  private async sendPage(feed: ChannelFeed, row: FeedRow, bytes: number): Promise<boolean> {
    const page = { limit: Math.min(TURN, row.room), bytes };
    const [admission, batch] = await Promise.all([
      this.parts.directory.admitAgain(this.did, 'subscribe', feed.fqcn),
      this.parts.messages.readAfter(feed.logChannel, feed.cursor, page),
    ]);
    if (!admission.ok) {
      feed.behind = true;
      return false;
    }
    if (batch.gap) await this.tellGap(feed, batch.gap);
    const last = batch.entries.at(-1);
    if (batch.more) feed.behind = true;
    row.toEnd(feed);
    if (!last || !this.wanted()) return true;
    for (const { position, payload } of batch.entries) {
      feed.book.record(messageId(feed.fqcn, position), position, Buffer.byteLength(payload));
    }
    feed.cursor = last.position;
    const messages = batch.entries.map((entry) => busMessage(feed.fqcn, entry));
    await this.outlet.send({ type: 'messages', subscription: this.request.subscription, messages });
    this.parts.onPushed(messages.length);
    return true;
  }

  /** Before what follows is sent. The stored position stays, so that a client which goes away now is told again. */
  private async tellGap(feed: ChannelFeed, gap: Gap): Promise<void> {
    const { fqcn } = feed;
    const [after, upTo] = [messageId(fqcn, gap.after), messageId(fqcn, gap.upTo)];
    const { subscription, clientId, gaps = false } = this.request;
    this.parts.log.warn({ fqcn, did: this.did, clientId, after, upTo }, 'retention overtook a reader');
    this.parts.onGap();
    if (gaps) await this.outlet.send({ type: 'gap', subscription, fqcn, after, upTo });
    feed.cursor = gap.upTo;
  }
}
