import { randomUUID } from 'node:crypto';
import type { ErrorDetail, SubscribeRequest } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import type { Logger } from '@ssb/platform';
import { asBusError, BusError, refusalError } from '../bus-error.js';
import { identityOf, type Directory } from '../directory.js';
import { messageId } from '../domain/message-id.js';
import { roomIn } from '../domain/delivery-window.js';
import type { Gap, MessageLog } from '../ports/message-log.js';
import { busMessage, PAGE_BYTES } from '../read-messages.js';
import type { SessionRegister } from '../redis/session-register.js';
import { ChannelFeed } from './channel-feed.js';
import { StreamClosedError, type Outlet } from './outlet.js';
import { readableChannels, type ReadableChannels } from './readable-channels.js';

export interface SubscriptionParts {
  readonly directory: Directory;
  readonly messages: MessageLog;
  readonly sessions: SessionRegister;
  readonly log: Logger;
  /** Told of each batch that was sent. */
  readonly onPushed: (messages: number) => void;
  /** Told when retention took messages before a reader had them. */
  readonly onGap: () => void;
}

/** Most messages of one channel in a row: a quiet one waits no longer than it takes to send these. */
const TURN = 32;

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2_000;

/**
 * One subscription: reads on from the stored positions whenever something wakes it, channel by channel in turn, as far as the window
 * allows. A single loop does one thing at a time: look at rights and session when they may have changed, otherwise send the next batch.
 * When the engine is away the loop rests and comes back by itself.
 */
export class Subscription {
  readonly session: string;
  private readonly id = randomUUID();
  private readonly address: string;
  private feeds: ChannelFeed[] = [];
  private started = false;
  private announced = false;
  private ended = false;
  private looping = false;
  private reviewDue = true;
  private retry: NodeJS.Timeout | undefined;
  private failures = 0;

  constructor(
    private readonly did: Did,
    private readonly request: SubscribeRequest,
    private readonly outlet: Outlet,
    private readonly parts: SubscriptionParts,
    /** Called once, when the subscription ends by itself. */
    private readonly onEnd: () => void,
  ) {
    this.address = identityOf(did);
    this.session = JSON.stringify([this.address, request.clientId]);
  }

  /** A message was appended on this channel, or (undefined) may have been on any. */
  wake(fqcn: string | undefined): void {
    let concerned = false;
    for (const feed of this.feeds) {
      if (fqcn !== undefined && feed.fqcn !== fqcn) continue;
      feed.behind = true;
      concerned = true;
    }
    if (concerned) this.kick();
  }

  /** Rights, channels or the session may have changed. */
  review(): void {
    this.reviewDue = true;
    this.kick();
  }

  acknowledge(fqcn: string, ids: readonly string[]): void {
    const feed = this.feeds.find((each) => each.fqcn === fqcn);
    if (!feed) return;
    feed.acknowledge(ids);
    feed.save().catch((error: unknown) => this.rest(error));
    this.kick();
  }

  /** Ends without a frame: stores what is acknowledged and gives the session up. Never throws. */
  async close(): Promise<void> {
    this.ended = true;
    clearTimeout(this.retry);
    try {
      await Promise.all(this.feeds.map((feed) => feed.save()));
      if (this.started) await this.parts.sessions.release(this.session, this.id);
    } catch (error) {
      this.parts.log.warn({ err: error }, 'positions could not be stored; those messages come again');
    }
  }

  private kick(): void {
    if (this.looping || this.ended || this.retry) return;
    this.looping = true;
    this.loop()
      .then(
        () => (this.failures = 0),
        (error: unknown) => this.rest(error),
      )
      .finally(() => {
        this.looping = false;
        if (this.hasWork()) this.kick();
      });
  }

  private async loop(): Promise<void> {
    while (this.hasWork()) {
      if (this.reviewDue) await this.look();
      else await this.sendNext();
    }
  }

  private hasWork(): boolean {
    if (this.ended || this.retry) return false;
    return this.reviewDue || (this.room() > 0 && this.feeds.some(({ behind }) => behind));
  }

  private room(): number {
    return roomIn(
      this.request.window,
      this.feeds.map(({ book }) => book),
    );
  }

  /** Is this still the newest subscription of its client, and which channels may it read now? */
  private async look(): Promise<void> {
    this.reviewDue = false;
    const { sessions, directory } = this.parts;
    const readable = await readableChannels(directory, this.did, this.request.fqcn);
    if (!this.started) {
      const [refusal] = readable.refused;
      if (refusal) return this.end('error', refusalError(refusal).body().err);
      await sessions.take(this.session, this.id);
      this.started = true;
    } else if (!(await sessions.confirm(this.session, this.id))) {
      const reason = 'A newer subscription of the same DID and client id took over.';
      return this.end('closed', new BusError('BUS::SUPERSEDED', reason).body().err);
    }
    await this.follow(readable);
  }

  private async follow({ channels, refused, ends }: ReadableChannels): Promise<void> {
    const [refusal] = refused;
    if (refusal && ends) return this.end('closed', refusalError(refusal).body().err);
    const before = this.feeds;
    const kept = before.filter((feed) =>
      channels.some((channel) => channel.fqcn === feed.fqcn && feed.refresh(channel)),
    );
    const added = channels.filter(({ fqcn }) => !kept.some((feed) => feed.fqcn === fqcn));
    const reader = { address: this.address, clientId: this.request.clientId };
    const { messages } = this.parts;
    const fresh = await Promise.all(
      added.map(async (channel) => {
        const feed = new ChannelFeed(channel, messages, reader, undefined);
        feed.cursor = await messages.position(feed.logChannel, reader);
        return feed;
      }),
    );
    this.feeds = [...kept, ...fresh];
    const lost = before.filter(
      (feed) => !kept.includes(feed) && !channels.some(({ fqcn }) => fqcn === feed.fqcn),
    );
    for (const each of refused) {
      if (lost.some(({ fqcn }) => 'fqcn' in each && each.fqcn === fqcn))
        await this.tell('error', refusalError(each).body().err);
    }
    if (!this.announced || fresh.length > 0 || lost.length > 0) {
      this.announced = true;
      const { subscription } = this.request;
      await this.outlet.send({
        type: 'subscribed',
        subscription,
        channels: this.feeds.map(({ fqcn }) => fqcn),
      });
    }
  }

  /** The next channel's batch; the channel then goes to the end of the row, so that a busy one starves nobody. */
  private async sendNext(): Promise<void> {
    const feed = this.feeds.find(({ behind }) => behind);
    if (!feed) return;
    feed.behind = false;
    try {
      const page = { limit: Math.min(TURN, this.room()), bytes: PAGE_BYTES };
      const [admission, batch] = await Promise.all([
        this.parts.directory.admitAgain(this.did, 'subscribe', feed.fqcn),
        this.parts.messages.readAfter(feed.logChannel, feed.cursor, page),
      ]);
      if (!admission.ok) {
        feed.behind = true;
        this.reviewDue = true;
        return;
      }
      if (batch.gap) await this.tellGap(feed, batch.gap);
      const last = batch.entries.at(-1);
      if (batch.more) feed.behind = true;
      this.feeds = [...this.feeds.filter((each) => each !== feed), feed];
      if (!last || this.ended) return;
      for (const { position, payload } of batch.entries) {
        feed.book.record(messageId(feed.fqcn, position), position, Buffer.byteLength(payload));
      }
      feed.cursor = last.position;
      const messages = batch.entries.map((entry) => busMessage(feed.fqcn, entry));
      await this.outlet.send({ type: 'messages', subscription: this.request.subscription, messages });
      this.parts.onPushed(messages.length);
    } catch (error) {
      feed.behind = true;
      throw error;
    }
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

  private async end(type: 'closed' | 'error', err: ErrorDetail): Promise<void> {
    this.ended = true;
    this.onEnd();
    await this.tell(type, err);
  }

  private tell(type: 'closed' | 'error', err: ErrorDetail): Promise<void> {
    return this.outlet.send({ type, subscription: this.request.subscription, err });
  }

  /** After a failure: nothing for a moment, then everything again. */
  private rest(error: unknown): void {
    // Whoever closed the stream closes its subscriptions as well.
    if (this.ended || this.retry || error instanceof StreamClosedError) return;
    const shown = asBusError(error);
    if (!shown) this.parts.log.error({ err: error }, 'a subscription failed; trying again');
    const pause = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.failures);
    this.failures += 1;
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.reviewDue = true;
      this.kick();
      for (const feed of this.feeds) feed.save().catch((again: unknown) => this.rest(again));
    }, pause);
  }
}
