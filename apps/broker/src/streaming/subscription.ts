import type { SubscribeRequest } from '@ssb/bus';
import { type Did, lowerCaseAddress } from '@ssb/identity';
import type { Logger } from '@ssb/platform';
import { backoffDelayMs } from '@ssb/resilience';
import { toBusError } from '../errors/bus-error.js';
import { toBusGap, toBusMessage, toMessageId } from '../messages/bus-message.js';
import { MAX_PAGE_BYTES } from '../messages/read-messages.service.js';
import type { PermissionService } from '../permissions/permission.service.js';
import type { Gap, MessageLog } from '../storage/message-log.js';
import type { Change } from '../storage/redis/change-notifications.js';
import type { RoleRepository } from '../storage/redis/role.repository.js';
import type { SessionStore } from '../storage/redis/session.store.js';
import { type ChannelFeed, ChannelRotation } from './channel-feeds.js';
import { StreamClosedError, type FrameWriter } from './frame-writer.js';
import { SessionLease } from './session-lease.js';
import {
  getAccessCheckWeight,
  isAffectedBy,
  checkAccess,
  type AccessCheckResult,
  type SubscriptionScope,
} from './access-check.js';

/** Services that every stream uses. */
export interface StreamDependencies {
  readonly permissions: PermissionService;
  readonly messages: MessageLog;
  readonly sessions: SessionStore;
  readonly roles: RoleRepository;
  readonly log: Logger;
  /** Counts sent messages. */
  readonly pushed: { inc(messages: number): void };
  /** Counts gaps that were reported to readers. */
  readonly gaps: { inc(): void };
}

const RETRY_BACKOFF = { baseMs: 100, maxMs: 2_000 };

/** Messages of one channel in a row, before the next channel has its turn. */
const MAX_MESSAGES_PER_TURN = 32;

/** Payload of a page, unless the channel takes larger messages. */
const MIN_PAGE_BYTES = 1_048_576;

/**
 * One subscription. Its loop reviews permissions and session when they may have changed, and otherwise sends the next page of the next
 * channel while the window allows. A failure pauses the loop.
 */
export class Subscription {
  private readonly scope: SubscriptionScope;
  private readonly session: SessionLease;
  private readonly feeds: ChannelRotation;
  private readonly end = new AbortController();
  private isRunning = false;
  private isAccessCheckDue = true;
  private retryTimer: NodeJS.Timeout | undefined;
  private failures = 0;
  private resolveFirstAccessCheck: () => void = () => undefined;
  private readonly firstAccessCheck = new Promise<void>((resolve) => (this.resolveFirstAccessCheck = resolve));

  constructor(
    private readonly did: Did,
    private readonly request: SubscribeRequest,
    private readonly writer: FrameWriter,
    private readonly dependencies: StreamDependencies,
    /** Called once when the subscription ends by itself. */
    private readonly onEnd: () => void,
  ) {
    const { clientId, window, fqcn: channels } = request;
    const address = lowerCaseAddress(did);
    const session = JSON.stringify([address, clientId]);
    this.scope = { address, session, channels };
    this.session = new SessionLease(dependencies.sessions, session, () => this.requestAccessCheck());
    this.feeds = new ChannelRotation(dependencies.messages, { address, clientId }, window);
  }

  /** Resolves after the first review, also when that failed and is retried. Never rejects. */
  start(): Promise<void> {
    this.requestAccessCheck();
    return this.firstAccessCheck;
  }

  /** A message was appended on this channel; undefined: on any. */
  notifyAppended(fqcn: string | undefined): void {
    if (this.feeds.markMayHaveMore(fqcn)) this.run();
  }

  /** Undefined: anything may have changed. */
  notifyChanged(change: Change | undefined): void {
    if (isAffectedBy(change, this.scope)) this.requestAccessCheck();
  }

  acknowledge(fqcn: string, ids: readonly string[]): void {
    const feed = this.feeds.find(fqcn);
    if (!feed) return;
    feed.acknowledge(ids);
    feed.save().catch((error: unknown) => this.retryLater(error));
    this.run();
  }

  /** Ends without a frame: stores acknowledged positions and releases the session. Never rejects. */
  async close(): Promise<void> {
    this.end.abort();
    clearTimeout(this.retryTimer);
    const { log } = this.dependencies;
    try {
      await this.feeds.save();
    } catch (error) {
      // The unsaved messages are delivered again.
      log.warn({ err: error }, 'position save failed');
    }
    try {
      await this.session.release();
    } catch (error) {
      // The next subscription takes the session over.
      log.warn({ err: error }, 'session release failed');
    }
  }

  private requestAccessCheck(): void {
    this.isAccessCheckDue = true;
    this.run();
  }

  /** Starts the loop unless it runs, pauses or has ended. */
  private run(): void {
    if (this.isRunning || this.isEnded || this.retryTimer) return;
    this.isRunning = true;
    void this.loop();
  }

  private async loop(): Promise<void> {
    try {
      while (this.hasWork()) {
        const { next } = this.feeds;
        if (this.isAccessCheckDue || !next) await this.review();
        else await this.sendPage(next);
      }
      this.failures = 0;
    } catch (error) {
      this.retryLater(error);
    }
    this.isRunning = false;
    if (this.hasWork()) this.run();
  }

  private hasWork(): boolean {
    if (this.isEnded || this.retryTimer) return false;
    return this.isAccessCheckDue || (this.feeds.availableWindow > 0 && this.feeds.next !== undefined);
  }

  private get isEnded(): boolean {
    return this.end.signal.aborted;
  }

  private async review(): Promise<void> {
    this.isAccessCheckDue = false;
    const { did, request, session, feeds, writer } = this;
    const { permissions } = this.dependencies;
    const release = await writer.acquireAccessCheck(getAccessCheckWeight(request));
    let result: AccessCheckResult;
    try {
      const { signal } = this.end;
      result = await checkAccess({ did, request, session, feeds, permissions, signal });
    } finally {
      release();
      this.resolveFirstAccessCheck();
    }
    if (this.isEnded) return;
    if (result.ends) {
      this.end.abort();
      this.onEnd();
    }
    for (const frame of result.frames) await writer.send(frame);
  }

  /** Room for the page is acquired before the read, so that unread sockets do not fill the memory with pages. */
  private async sendPage(feed: ChannelFeed): Promise<void> {
    const { maxMessageBytes } = feed.logChannel;
    const maxBytes = Math.min(MAX_PAGE_BYTES, Math.max(MIN_PAGE_BYTES, maxMessageBytes));
    const release = await this.writer.acquirePage(maxBytes);
    try {
      if (this.isEnded) return;
      feed.mayHaveMore = false;
      await this.readAndSend(feed, maxBytes);
    } catch (error) {
      feed.mayHaveMore = true;
      throw error;
    } finally {
      release();
    }
  }

  /** @throws EngineUnavailableError, StreamClosedError */
  private async readAndSend(feed: ChannelFeed, maxBytes: number): Promise<void> {
    const { permissions, messages, pushed } = this.dependencies;
    const { fqcn } = feed;
    const limits = { maxEntries: Math.min(MAX_MESSAGES_PER_TURN, this.feeds.availableWindow), maxBytes };
    const [authorization, page] = await Promise.all([
      permissions.authorizeCached(this.did, 'subscribe', fqcn),
      messages.readAfter(feed.logChannel, feed.cursor, limits),
    ]);
    if (!authorization.ok) {
      feed.mayHaveMore = true;
      this.isAccessCheckDue = true;
      return;
    }
    if (page.gap) await this.reportGap(feed, page.gap);
    if (page.more) feed.mayHaveMore = true;
    this.feeds.moveToEnd(feed);
    const last = page.entries.at(-1);
    if (!last || this.isEnded) return;
    for (const { position, payload } of page.entries) {
      feed.acknowledgements.recordSent(toMessageId(fqcn, position), position, Buffer.byteLength(payload));
    }
    feed.cursor = last.position;
    const { subscription } = this.request;
    const entries = page.entries.map((entry) => toBusMessage(fqcn, entry));
    await this.writer.send({ type: 'messages', subscription, messages: entries });
    pushed.inc(entries.length);
  }

  /** The stored position does not move, so a client that leaves now gets the report again. */
  private async reportGap(feed: ChannelFeed, gap: Gap): Promise<void> {
    const { fqcn } = feed;
    const { subscription, clientId, gaps = false } = this.request;
    const { after, upTo } = toBusGap(fqcn, gap);
    this.dependencies.log.warn({ fqcn, did: this.did, clientId, after, upTo }, 'retention gap');
    this.dependencies.gaps.inc();
    if (gaps) await this.writer.send({ type: 'gap', subscription, fqcn, after, upTo });
    feed.cursor = gap.upTo;
  }

  /** Pauses the loop; then reviews everything and saves again. */
  private retryLater(error: unknown): void {
    // The connection closes its subscriptions after a StreamClosedError.
    if (this.isEnded || this.retryTimer || error instanceof StreamClosedError) return;
    if (!toBusError(error)) this.dependencies.log.error({ err: error }, 'subscription failed');
    this.failures += 1;
    const retry = (): void => {
      this.retryTimer = undefined;
      this.requestAccessCheck();
      this.feeds.save().catch((again: unknown) => this.retryLater(again));
    };
    this.retryTimer = setTimeout(retry, backoffDelayMs(this.failures, RETRY_BACKOFF, Math.random()));
  }
}
