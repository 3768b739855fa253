import type { SubscribeRequest } from '@ssb/bus';
import { type Did, lowerCaseAddress } from '@ssb/identity';
import type { Logger } from '@ssb/platform';
import { backoffDelayMs } from '@ssb/net';
import type { BrokerMetrics } from '../broker-metrics.js';
import { toBusError } from '../errors/bus-error.js';
import { toBusGap, toMessageId } from '../messages/bus-message.js';
import { MAX_PAGE_BYTES } from '../messages/read-messages.service.js';
import type { PermissionService } from '../permissions/permission.service.js';
import type { Gap, MessageLog, Reader } from '../storage/message-log.js';
import type { Change } from '../storage/redis/change-notifications.js';
import type { ReaderStartStore } from '../storage/redis/reader-start.store.js';
import type { SessionStore } from '../storage/redis/session.store.js';
import { type ChannelFeed, ChannelRotation, type FindStart } from './channel-feeds.js';
import { StreamClosedError, type FrameWriter } from './frame-writer.js';
import { SubscriptionAccess } from './subscription-access.js';
import { traceMessages } from './traced-messages.js';

/** Services that every subscription uses. */
export interface SubscriptionDependencies {
  readonly permissions: PermissionService;
  readonly messageLog: MessageLog;
  readonly sessions: SessionStore;
  readonly readerStarts: ReaderStartStore;
  readonly log: Logger;
  readonly metrics: Pick<BrokerMetrics, 'countSent' | 'gaps'>;
}

const RETRY_BACKOFF = { baseMs: 100, maxMs: 2_000 };

/** Then the next channel has its turn. */
const MAX_MESSAGES_PER_TURN = 32;

/** Limit of a page in payload bytes, unless the channel permits larger messages. */
const DEFAULT_PAGE_BYTES = 1_048_576;

/**
 * Sends the next page of each channel in turn while the window allows, and checks permissions and session after changes. The feed of a channel
 * has the last entry sent (`cursor`) and the messages that are not acknowledged.
 */
export class Subscription {
  private readonly access: SubscriptionAccess;
  private readonly rotation: ChannelRotation;
  private readonly end = new AbortController();
  private stopListening: () => void = () => undefined;
  private isSending = false;
  private retryTimer: NodeJS.Timeout | undefined;
  private failures = 0;

  constructor(
    private readonly did: Did,
    private readonly request: SubscribeRequest,
    private readonly writer: FrameWriter,
    private readonly dependencies: SubscriptionDependencies,
    /** Called once when the subscription ends by itself. */
    private readonly onEnd: () => void,
  ) {
    const { permissions, messageLog, sessions, readerStarts } = dependencies;
    const reader = { address: lowerCaseAddress(did), clientId: request.clientId };
    this.rotation = new ChannelRotation(
      messageLog,
      reader,
      request.window,
      toFindStart(reader, request, readerStarts),
    );
    const onCheckDue = () => void this.sendPages();
    const { rotation } = this;
    this.access = new SubscriptionAccess(did, request, rotation, writer, permissions, sessions, onCheckDue);
  }

  /** Resolves after the first access check, even if that failed and is retried. Never rejects. */
  start(): Promise<void> {
    this.stopListening = this.dependencies.messageLog.onAppended((fqcn) => {
      if (this.rotation.markMayHaveMore(fqcn)) void this.sendPages();
    });
    this.access.requestCheck();
    return this.access.firstCheck;
  }

  /** Called after each change at any broker; undefined when anything may have changed. */
  notifyChanged(change: Change | undefined): void {
    this.access.notifyChanged(change);
  }

  /** Moves the stored offset of the channel to the last message before the first unacknowledged one. */
  acknowledge(fqcn: string, ids: readonly string[]): void {
    const feed = this.rotation.find(fqcn);
    if (!feed) return;
    feed.acknowledge(ids);
    feed.save().catch((error: unknown) => this.retryLater(error));
    void this.sendPages();
  }

  /** Ends without notifying the client: stores acknowledged offsets and releases the session. Never rejects. */
  async close(): Promise<void> {
    this.stopListening();
    this.end.abort();
    clearTimeout(this.retryTimer);
    const { log } = this.dependencies;
    try {
      await this.rotation.save();
    } catch (error) {
      // The unsaved messages are delivered again.
      log.warn({ err: error }, 'offset save failed');
    }
    try {
      await this.access.release();
    } catch (error) {
      // The next subscription takes the session over.
      log.warn({ err: error }, 'session release failed');
    }
  }

  /** Sends what the log has and the window allows. Does nothing while it runs or pauses, or after the end. Never rejects. */
  private async sendPages(): Promise<void> {
    if (this.isSending || this.isEnded || this.retryTimer) return;
    this.isSending = true;
    try {
      while (this.hasWork()) {
        const { nextFeed } = this.rotation;
        if (nextFeed && !this.access.isCheckDue) await this.sendPage(nextFeed);
        else await this.updateChannels();
      }
      this.failures = 0;
    } catch (error) {
      this.retryLater(error);
    }
    this.isSending = false;
    if (this.hasWork()) void this.sendPages();
  }

  private hasWork(): boolean {
    if (this.isEnded || this.retryTimer) return false;
    if (this.access.isCheckDue) return true;
    return this.rotation.availableWindow > 0 && this.rotation.nextFeed !== undefined;
  }

  private get isEnded(): boolean {
    return this.end.signal.aborted;
  }

  private async updateChannels(): Promise<void> {
    const { frames, ends } = await this.access.updateChannels(this.end.signal);
    if (this.isEnded) return;
    if (ends) {
      this.end.abort();
      this.onEnd();
    }
    for (const frame of frames) await this.writer.send(frame);
  }

  /** Acquires memory for the page before the read, so that clients that do not read do not fill it. */
  private async sendPage(feed: ChannelFeed): Promise<void> {
    const { maxMessageBytes } = feed.logChannel;
    const maxBytes = Math.min(MAX_PAGE_BYTES, Math.max(DEFAULT_PAGE_BYTES, maxMessageBytes));
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
    const { permissions, metrics } = this.dependencies;
    const { fqcn } = feed;
    const limits = { maxEntries: Math.min(MAX_MESSAGES_PER_TURN, this.rotation.availableWindow), maxBytes };
    const [authorization, page] = await Promise.all([
      permissions.authorizeCached(this.did, 'subscribe', fqcn),
      feed.read(limits),
    ]);
    if (!authorization.ok) {
      feed.mayHaveMore = true;
      this.access.isCheckDue = true;
      return;
    }
    if (page.gap) await this.reportGap(feed, page.gap);
    if (page.more) feed.mayHaveMore = true;
    this.rotation.moveToEnd(feed);
    const last = page.entries.at(-1);
    if (!last || this.isEnded) return;
    for (const { offset, payload } of page.entries) {
      feed.acknowledgements.recordSent(toMessageId(fqcn, offset), offset, Buffer.byteLength(payload));
    }
    feed.cursor = last.offset;
    const { subscription } = this.request;
    const { messages, spans } = traceMessages(fqcn, page.entries);
    await this.writer.send({ type: 'messages', subscription, messages });
    for (const span of spans) span.succeed('sent');
    metrics.countSent(fqcn, page.entries);
  }

  /** The stored offset stays, so a client that leaves now gets the report again. */
  private async reportGap(feed: ChannelFeed, gap: Gap): Promise<void> {
    const { fqcn } = feed;
    const { subscription, clientId, gaps = false } = this.request;
    const { after, upTo } = toBusGap(fqcn, gap);
    this.dependencies.log.warn({ channel: fqcn, did: this.did, clientId, after, upTo }, 'retention gap');
    this.dependencies.metrics.gaps.inc();
    if (gaps) await this.writer.send({ type: 'gap', subscription, fqcn, after, upTo });
    feed.cursor = gap.upTo;
  }

  /** Pauses the sending. Then updates the channels and saves the offsets again. */
  private retryLater(error: unknown): void {
    // The connection closes its subscriptions after a StreamClosedError.
    if (this.isEnded || this.retryTimer || error instanceof StreamClosedError) return;
    if (!toBusError(error)) this.dependencies.log.error({ err: error }, 'subscription failed');
    this.failures += 1;
    const retry = (): void => {
      this.retryTimer = undefined;
      this.access.requestCheck();
      this.rotation.save().catch((again: unknown) => this.retryLater(again));
    };
    this.retryTimer = setTimeout(retry, backoffDelayMs(this.failures, RETRY_BACKOFF, Math.random()));
  }
}

/** A reader without a requested start continues from a stored one. Otherwise it begins with the oldest message, and nothing is stored. */
function toFindStart(reader: Reader, { from }: SubscribeRequest, starts: ReaderStartStore): FindStart {
  if (from === undefined) return () => starts.find(reader);
  const requested = from === 'now' || from === 'oldest' ? from : new Date(from);
  return (isKnown) => starts.begin(reader, isKnown ? 'oldest' : requested);
}
