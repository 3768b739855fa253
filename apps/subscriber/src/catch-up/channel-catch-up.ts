import type { GatewayClient, MalformedMessageError } from '@ssb/bus';
import type { Logger } from '@ssb/platform';
import { toMilliseconds } from '../domain/nanoseconds.js';
import type { MessageReceiver } from '../receiver/message-receiver.js';
import { ConsumerLimitError, type CatchUpConsumerStore } from './catch-up-consumer-store.js';
import { retryDatabase } from '../database/retry-database.js';
import type { WatermarkStore } from './watermark-store.js';
import type { ReportGap } from '../reader/report-gap.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import { UnprovenEndError, UnreadablePageError } from './catch-up-errors.js';
import { ChannelConsumer } from './channel-consumer.js';
import type { ChannelPages, ConsumerPage, ReceivedPage } from './channel-pages.js';
import { nextPage, type NextStep, type PageRead } from './domain/next-page.js';
import {
  advance,
  complete,
  endGap,
  expectsLastMessage,
  hasMoved,
  startOf,
  wasReadLongAgo,
  type Watermark,
} from './domain/watermark.js';
import { PresentTime } from './present-time.js';
import { RetentionCheck } from './retention-check.js';

export interface ChannelCatchUpOptions {
  readonly channel: string;
  readonly client: Pick<GatewayClient, 'channels'>;
  readonly pages: ChannelPages;
  readonly watermarks: Pick<WatermarkStore, 'read' | 'advance'>;
  readonly consumers: Pick<CatchUpConsumerStore, 'open' | 'discount'>;
  readonly receiver: Pick<MessageReceiver, 'receive'>;
  /** Maximum number of messages in one transaction. */
  readonly maxBatch: number;
  /** Called for each malformed message. */
  readonly onMalformed: (error: MalformedMessageError) => void;
  readonly reportGap: ReportGap;
  readonly metrics: SubscriberMetrics;
  readonly log: Logger;
}

/** Reads what the bus stored on one channel since the watermark. Only this moves the watermark, because a push may overtake lost messages. */
export class ChannelCatchUp {
  private watermark: Watermark | undefined;
  private isLoaded = false;
  /** The watermark of the database. */
  private stored: Watermark | undefined;
  private readonly retention: RetentionCheck;
  private readonly consumer: ChannelConsumer;
  /** A second read of a consumer returned further messages. */
  private hasContinued = false;
  /** The recorded consumers do not count, because the gateway keeps none. */
  private isDiscounted = false;

  constructor(private readonly options: ChannelCatchUpOptions) {
    const { channel, client, consumers } = options;
    this.retention = new RetentionCheck(options);
    this.consumer = new ChannelConsumer({
      probe: () => client.channels(),
      open: async (startMs, refused, stopping) => {
        const opened = await this.useDatabase(() => consumers.open(channel, startMs, refused), stopping);
        this.isDiscounted = false;
        options.metrics.catchUpConsumers.inc();
        return opened;
      },
    });
  }

  get channel(): string {
    return this.options.channel;
  }

  /** Everything that the bus stored before this time was read; undefined before the first read. */
  get completeUntil(): Date | undefined {
    return this.watermark?.completeUntil;
  }

  /** Whether the channel has reached its limit of new consumers. */
  get isLimited(): boolean {
    return this.consumer.isLimited;
  }

  /**
   * @returns whether the end of the channel was reached; otherwise another catch-up must continue
   * @throws the error of a request, ConsumerLimitError, UnprovenEndError, UnreadablePageError, OperationStoppedError, LeaseLostError
   */
  async run(stopping: AbortSignal): Promise<boolean> {
    const startedAt = new Date();
    const { pages } = this.options;
    try {
      await this.load(stopping);
      this.retention.plan(this.watermark, startedAt);
      pages.begin();
      const isAtEnd = await this.readChannel(stopping, startedAt);
      if (isAtEnd) await this.save(complete(this.watermark, startedAt), stopping);
      return isAtEnd;
    } catch (error) {
      this.consumer.fail(error);
      throw error;
    } finally {
      if (!stopping.aborted) await this.retention.run();
    }
  }

  /** Whether a read failed that may have left a consumer behind, since the last call. */
  takeLoss(): boolean {
    return this.consumer.takeLoss();
  }

  /**
   * Reads the messages that follow for the consumer. A second read decides: the same messages again mean that the gateway keeps no consumer,
   * so each request may name its time.
   * @returns whether the end of the channel was reached
   */
  private async readChannel(stopping: AbortSignal, startedAt: Date): Promise<boolean> {
    const origin = this.watermark;
    let { page, consumer } = await this.readNext(origin, stopping);
    const presence = new PresentTime(startedAt);
    while (page.count > 0) {
      const next = await this.readNext(origin, stopping);
      if (next.consumer === consumer) {
        if (next.page.newCount < next.page.count)
          return this.readByTime({ page, next, origin, presence, stopping });
        await this.advance(page, startedAt, stopping);
        if (next.page.count === 0 && this.mayRespondOnce(page)) return false;
        this.hasContinued ||= next.page.count > 0;
        if (next.page.count > 0 && presence.isOver(page.lastNanos)) return false;
      }
      ({ page, consumer } = next);
    }
    return true;
  }

  /** Reads and stores the next page of the consumer. */
  private async readNext(origin: Watermark | undefined, stopping: AbortSignal): Promise<ConsumerPage> {
    stopping.throwIfAborted();
    const { consumer } = this;
    const read = await this.options.pages.readNext(
      () => consumer.next(startOf(this.watermark, new Date()), stopping),
      (error) => consumer.fail(error),
    );
    if (consumer.isNew) this.checkFirstPage(read.page);
    await this.store(read.page, origin, stopping);
    consumer.stored(read.page.count);
    return read;
  }

  /** A bus that regards messages as delivered returns them to no other consumer, if it ignores what makes this one new. */
  private checkFirstPage({ count, firstNanos }: ReceivedPage): void {
    const { watermark, consumer, channel } = this;
    const expects = expectsLastMessage(watermark, new Date());
    if (count === 0) {
      consumer.stored(0);
      if (consumer.followsFailure) throw new UnprovenEndError('after a read that failed');
      if (expects) throw new UnprovenEndError('although it returned some of this time before');
      return;
    }
    if (!expects || watermark === undefined || firstNanos === undefined) return;
    if (firstNanos <= watermark.readUpToNanos) return;
    const from = new Date(toMilliseconds(watermark.readUpToNanos)).toISOString();
    const until = new Date(toMilliseconds(firstNanos)).toISOString();
    const detail = `The gateway did not return the message of ${from} again, so others up to ${until} may be lost with a response that did not arrive.`;
    this.options.reportGap({ channel, fields: { from, until }, detail });
  }

  /** A gateway that responds to each consumer once returns a full page and then nothing. Another consumer reads on. */
  private mayRespondOnce({ count, amount, hasMore }: ReceivedPage): boolean {
    if (this.hasContinued || (count < amount && !hasMore)) return false;
    this.consumer.discard();
    return true;
  }

  /** Continues with requests that name their time, for a gateway that keeps no consumers. */
  private async readByTime(options: {
    page: ReceivedPage;
    next: ConsumerPage;
    origin: Watermark | undefined;
    presence: PresentTime;
    stopping: AbortSignal;
  }): Promise<boolean> {
    const { page: first, next, origin, presence, stopping } = options;
    const { pages, consumers } = this.options;
    const { consumer } = next;
    if (!this.isDiscounted) await this.useDatabase(() => consumers.discount(this.channel), stopping);
    this.isDiscounted = true;
    let read: PageRead = { fromMs: consumer.fromMs, amount: next.page.amount };
    let page: ReceivedPage = { ...next.page, newCount: first.newCount + next.page.newCount };
    const readPage = async (): Promise<void> => {
      stopping.throwIfAborted();
      this.consumer.requested();
      page = await pages.readFrom(read, consumer);
      await this.store(page, origin, stopping);
      this.consumer.stored(page.count);
    };
    const startMs = startOf(origin, presence.startedAt);
    if (consumer.fromMs < startMs) {
      // A new consumer begins earlier, perhaps before a gap that is reported.
      read = { ...read, fromMs: startMs };
      pages.begin();
      await readPage();
    }
    for (;;) {
      const { lastNanos } = page;
      const step = nextPage(read, page, pages.limits);
      if (movesWatermark(read, step)) await this.advance(page, presence.startedAt, stopping);
      switch (step.kind) {
        case 'end':
          this.consumer.moveTo(startOf(this.watermark, new Date()));
          return true;
        case 'stuck':
          throw new UnreadablePageError(page, read);
        case 'gap':
          this.reportUnreadableMillisecond(step.gapMs, page);
          await this.save(endGap(this.watermark, step.read.fromMs), stopping);
          break;
        case 'read':
          if (presence.isOver(lastNanos)) return false;
          break;
        default:
          step satisfies never;
      }
      read = step.read;
      await readPage();
    }
  }

  private async advance({ lastNanos }: ReceivedPage, startedAt: Date, stopping: AbortSignal): Promise<void> {
    if (lastNanos !== undefined)
      await this.save(advance(this.watermark, lastNanos, startedAt, new Date()), stopping);
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
    return retryDatabase(
      work,
      stopping,
      (err, attempt, waitMs) => {
        metrics.storageFailures.inc();
        log.error({ err, channel, attempt, waitMs }, 'watermark access failed');
      },
      (error) => error instanceof ConsumerLimitError,
    );
  }
}

/** A page after a gap of unknown size, and one that may lack older messages, do not move the watermark. */
function movesWatermark({ resumeMs }: PageRead, step: NextStep): boolean {
  if (resumeMs !== undefined || step.kind === 'stuck') return false;
  if (step.kind !== 'read') return true;
  return step.read.comparedNanos === undefined && step.read.isOldestFirst !== false;
}
