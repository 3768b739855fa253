import type { Channel, GatewayClient, MalformedMessageError } from '@ssb/bus';
import type { Logger } from '@ssb/platform';
import type { MessageReceiver } from '../receive.js';
import { retryDatabase } from '../storage/retry-database.js';
import type { WatermarkStore } from '../storage/watermark-store.js';
import type { ReportGap } from '../stream/report-gap.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import type { ChannelPages, ReceivedPage } from './channel-pages.js';
import { toMilliseconds } from '../domain/nanoseconds.js';
import { nextPage, type NextStep, type PageRead } from './domain/next-page.js';
import {
  advance,
  complete,
  endGap,
  hasMoved,
  mayHaveLost,
  startOf,
  wasReadLongAgo,
  type Watermark,
} from './domain/watermark.js';

export interface ChannelCatchUpOptions {
  readonly channel: string;
  readonly client: Pick<GatewayClient, 'channels'>;
  readonly pages: ChannelPages;
  readonly watermarks: Pick<WatermarkStore, 'read' | 'advance'>;
  readonly receiver: Pick<MessageReceiver, 'receive'>;
  /** Maximum number of messages in one transaction. */
  readonly maxBatch: number;
  /** Called for each malformed message. */
  readonly onMalformed: (error: MalformedMessageError) => void;
  readonly reportGap: ReportGap;
  readonly metrics: SubscriberMetrics;
  readonly log: Logger;
}

/** Further messages exist, and no request returns them. */
export class UnreadablePageError extends Error {
  override readonly name = 'UnreadablePageError';

  constructor({ count, firstNanos }: Pick<ReceivedPage, 'count' | 'firstNanos'>, { fromMs }: PageRead) {
    const reason =
      firstNanos === undefined
        ? 'none of them has a time'
        : `they begin at ${new Date(toMilliseconds(firstNanos)).toISOString()}`;
    super(
      `${count} messages were returned for from=${new Date(fromMs).toISOString()}, ${reason}, and others cannot be requested. The gateway must return the oldest messages from that time on`,
    );
  }
}

/** Since when a channel is checked for messages that the bus removed. */
interface RetentionCheck {
  readonly completeUntil: Date;
  readonly now: Date;
}

/** A channel on which messages keep arriving is read for so long after the first one that is newer than the catch-up. */
const MAX_READ_AFTER_PRESENT_MS = 10_000;
/** A watermark that is newer needs no look at the retention of its channel. */
const MIN_AGE_FOR_RETENTION_CHECK_MS = 2 * 60_000;

/** Reads what the bus stored on one channel since the watermark. Only this moves the watermark, because a push may overtake lost messages. */
export class ChannelCatchUp {
  private watermark: Watermark | undefined;
  private isLoaded = false;
  /** The watermark of the database. */
  private stored: Watermark | undefined;
  /** `completeUntil` of the watermark for which a loss was reported. */
  private reportedLoss: number | undefined;
  /** Until the channels could be listed. */
  private retentionCheck: RetentionCheck | undefined;

  constructor(private readonly options: ChannelCatchUpOptions) {}

  get channel(): string {
    return this.options.channel;
  }

  /** Everything that the bus stored before this time was read; undefined before the first read. */
  get completeUntil(): Date | undefined {
    return this.watermark?.completeUntil;
  }

  /**
   * @param continues uses the client id of the previous catch-up
   * @returns whether the end of the channel was reached; otherwise another catch-up must continue
   * @throws the error of a request, UnreadablePageError, OperationStoppedError, LeaseLostError
   */
  async run(stopping: AbortSignal, continues: boolean): Promise<boolean> {
    const startedAt = new Date();
    const { pages } = this.options;
    try {
      await this.load(stopping);
      this.planRetentionCheck(startedAt);
      pages.begin(continues);
      const isAtEnd = await this.readPages(stopping, startedAt);
      if (isAtEnd) await this.save(complete(this.watermark, startedAt), stopping);
      return isAtEnd;
    } catch (error) {
      pages.fail();
      throw error;
    } finally {
      if (!stopping.aborted) await this.checkRetention();
    }
  }

  /** @returns whether the end of the channel was reached */
  private async readPages(stopping: AbortSignal, startedAt: Date): Promise<boolean> {
    const { pages } = this.options;
    const origin = this.watermark;
    let read: PageRead = { fromMs: startOf(origin, startedAt), amount: pages.limits.initialAmount };
    let presentSince: number | undefined;
    for (;;) {
      stopping.throwIfAborted();
      const page = await pages.read(read);
      await this.store(page, origin, stopping);
      const { lastNanos } = page;
      const step = nextPage(read, page, pages.limits);
      if (lastNanos !== undefined && movesWatermark(read, step))
        await this.save(advance(this.watermark, lastNanos, startedAt, new Date()), stopping);
      switch (step.kind) {
        case 'end':
          return true;
        case 'stuck':
          throw new UnreadablePageError(page, read);
        case 'gap':
          this.reportUnreadableMillisecond(step.gapMs, page);
          await this.save(endGap(this.watermark, step.read.fromMs), stopping);
          break;
        case 'read':
          if (lastNanos !== undefined && toMilliseconds(lastNanos) >= startedAt.getTime())
            presentSince ??= performance.now();
          if (presentSince !== undefined && performance.now() - presentSince > MAX_READ_AFTER_PRESENT_MS)
            return false;
          break;
        default:
          step satisfies never;
      }
      read = step.read;
    }
  }

  private async store(
    page: ReceivedPage,
    origin: Watermark | undefined,
    stopping: AbortSignal,
  ): Promise<void> {
    const { pages, receiver, maxBatch, onMalformed, metrics } = this.options;
    for (const error of page.malformed) onMalformed(error);
    const messages = page.messages.filter(({ timestampNanos }) => !wasReadLongAgo(timestampNanos, origin));
    for (let at = 0; at < messages.length; at += maxBatch)
      metrics.catchUpMessages.inc(await receiver.receive(messages.slice(at, at + maxBatch), stopping));
    pages.remember(page);
  }

  private planRetentionCheck(now: Date): void {
    const { completeUntil } = this.watermark ?? {};
    if (completeUntil === undefined || completeUntil.getTime() === this.reportedLoss) return;
    if (now.getTime() - completeUntil.getTime() >= MIN_AGE_FOR_RETENTION_CHECK_MS)
      this.retentionCheck ??= { completeUntil, now };
  }

  /** Reports a loss that can be seen from the times alone: the bus keeps messages for less than the watermark was old. */
  private async checkRetention(): Promise<void> {
    const { retentionCheck: check, options, channel } = this;
    if (check === undefined) return;
    const channels = await this.listChannels();
    if (channels === undefined) return;
    this.retentionCheck = undefined;
    const { completeUntil, now } = check;
    const found = channels.find(({ fqcn }) => fqcn === channel);
    if (!mayHaveLost(completeUntil, found?.maxMsgAge, now)) return;
    this.reportedLoss = completeUntil.getTime();
    const from = completeUntil.toISOString();
    const detail = `The channel was last read at ${from}, and the bus keeps its messages for a shorter time.`;
    options.reportGap({ channel, fields: { from, until: now.toISOString() }, detail });
  }

  /** Undefined when the gateway does not return the list. Messages can be read without it. */
  private async listChannels(): Promise<Channel[] | undefined> {
    try {
      return await this.options.client.channels();
    } catch (err) {
      this.options.log.info({ channel: this.channel, err }, 'retention not checked');
      return undefined;
    }
  }

  private reportUnreadableMillisecond(gapMs: number, { amount, count }: ReceivedPage): void {
    const at = new Date(gapMs).toISOString();
    this.options.reportGap({
      channel: this.channel,
      fields: { from: at, until: new Date(gapMs + 1).toISOString(), amount, count },
      detail: `The gateway returned ${count} messages of ${at} for an amount of ${amount}, and further ones of that millisecond cannot be read.`,
    });
  }

  private async load(stopping: AbortSignal): Promise<void> {
    if (this.isLoaded) return;
    this.stored = await this.useDatabase(() => this.options.watermarks.read(this.channel), stopping);
    this.watermark = this.stored;
    this.isLoaded = true;
  }

  private async save(next: Watermark | undefined, stopping: AbortSignal): Promise<void> {
    if (next === undefined) return;
    if (hasMoved(next, this.stored)) {
      await this.useDatabase(() => this.options.watermarks.advance(this.channel, next), stopping);
      this.stored = next;
    }
    this.watermark = next;
  }

  private useDatabase<T>(work: () => Promise<T>, stopping: AbortSignal): Promise<T> {
    const { channel, metrics, log } = this.options;
    return retryDatabase(work, stopping, (err, attempt, waitMs) => {
      metrics.storageFailures.inc();
      log.error({ err, channel, attempt, waitMs }, 'watermark access failed');
    });
  }
}

/** A page after a gap of unknown size, and one that may lack older messages, do not move the watermark. */
function movesWatermark({ resumeMs }: PageRead, step: NextStep): boolean {
  if (resumeMs !== undefined || step.kind === 'stuck') return false;
  if (step.kind !== 'read') return true;
  return step.read.comparedNanos === undefined && step.read.isOldestFirst !== false;
}
