import { GatewayError, type GatewayClient, type MalformedMessageError } from '@ssb/bus';
import { ALL_PARTICIPANTS } from '@ssb/events';
import type { FaultReporter } from '@ssb/faults';
import type { Database } from '@ssb/postgres';
import { Semaphore } from 'async-mutex';
import { describeError } from '../domain/describe-error.js';
import { LeaseLostError, type ReaderToken } from '../replica/reader-lease.js';
import type { Settings } from '../settings.js';
import { CatchUpConsumerStore, ConsumerLimitError } from './catch-up-consumer-store.js';
import { ChannelCatchUp, type ChannelCatchUpOptions } from './channel-catch-up.js';
import { ChannelPages } from './channel-pages.js';
import { MAX_CONSUMERS_A_DAY, MIN_INTERVAL_BEYOND_LIMIT_MS } from './domain/consumer-allowance.js';
import type { PageLimits } from './domain/next-page.js';
import { RunSchedule, type RequestedRun, type RunOutcome, type SchedulePolicy } from './run-schedule.js';
import { WatermarkStore } from './watermark-store.js';

export interface CatchUpLimits extends PageLimits {
  /** A catch-up that has failed for this long is a fault. */
  readonly failingAfterMs: number;
  /** Pushed messages wait at most this long for the catch-up of their connection, so that a slow REST interface never delays a breach. */
  readonly maxHoldMs: number;
  /** Messages that are pushed while this many wait are dropped, and read by a catch-up. */
  readonly maxBuffered: number;
  /** The channels are read at short intervals once the stream has been disconnected for this long. */
  readonly maxDisconnectedMs: number;
  /** Between two attempts to connect to a gateway without `/events`. */
  readonly eventsRetryMs: number;
}

export interface CatchUpOptions extends Omit<
  ChannelCatchUpOptions,
  'channel' | 'client' | 'pages' | 'watermarks' | 'consumers' | 'maxBatch' | 'onMalformed'
> {
  readonly token: ReaderToken;
  readonly database: Database;
  readonly settings: Pick<Settings, 'GATEWAY_CATCH_UP_INTERVAL_MS' | 'GATEWAY_READ_INTERVAL_MS' | 'WINDOW'>;
  readonly channels: readonly string[];
  readonly client: Pick<GatewayClient, 'channels' | 'readMessages'>;
  readonly catchUpLimits?: Partial<CatchUpLimits> | undefined;
  readonly faults: Pick<FaultReporter, 'raise' | 'clear' | 'forget'>;
  readonly onLeaseLost: () => void;
}

interface ScheduledChannel {
  readonly catchUp: ChannelCatchUp;
  readonly schedule: RunSchedule;
  /** Failure of the last run; undefined when it succeeded. */
  failure?: string | undefined;
  failingSince?: Date | undefined;
  /** The last failure of a request. */
  readFailure?: string;
}

/** A page of typical messages is below a mebibyte. A gateway that refuses an amount is read with a smaller one. */
const DEFAULT_LIMITS: CatchUpLimits = {
  initialAmount: 250,
  maxAmount: 8_000,
  failingAfterMs: 2 * 60_000,
  maxHoldMs: 10_000,
  maxBuffered: 50_000,
  maxDisconnectedMs: 3_000,
  eventsRetryMs: 60_000,
};
const MAX_CONCURRENT_CATCH_UPS = 4;
const MIN_REQUESTED_INTERVAL_MS = 1_000;

/** Reads with `GET /message` what the gateway did not push: on request, at an interval, and alone where the gateway has no stream. */
export class CatchUp {
  private readonly channels: readonly ScheduledChannel[];
  private readonly running = new Semaphore(MAX_CONCURRENT_CATCH_UPS);
  readonly limits: CatchUpLimits;
  private hasEvents = true;
  /** Channels with a fault about a malformed message. */
  private readonly malformedChannels = new Set<string>();

  constructor(private readonly options: CatchUpOptions) {
    this.limits = { ...DEFAULT_LIMITS, ...options.catchUpLimits };
    this.channels = options.channels.map((channel) => this.createChannel(channel));
  }

  start(): void {
    for (const { schedule } of this.channels) schedule.start();
  }

  /** Reads every channel as soon as the policy permits. */
  request(): RequestedRun {
    const runs = this.channels.map(({ schedule }) => schedule.request());
    return {
      startsInMs: Math.max(0, ...runs.map(({ startsInMs }) => startsInMs)),
      ended: Promise.all(runs.map(({ ended }) => ended)).then(() => undefined),
    };
  }

  /**
   * As `request`, for a caller that may call it often and does not wait.
   * @param fqcns channels to read; default: all
   */
  trigger(fqcns?: ReadonlySet<string>): void {
    for (const { catchUp, schedule } of this.channels)
      if (fqcns === undefined || fqcns.has(catchUp.channel)) schedule.trigger();
  }

  /** @param hasEvents false while catch-ups bring all messages */
  setHasEvents(hasEvents: boolean): void {
    this.hasEvents = hasEvents;
    for (const { schedule } of this.channels) schedule.setPolicy(this.policy);
  }

  /** Logs a message that is skipped. The first one of a channel is also a fault. */
  reportMalformed(
    channel: string | undefined,
    { readableFields: { id }, message: detail }: MalformedMessageError,
  ): void {
    const { metrics, faults, log } = this.options;
    metrics.malformed.inc();
    log.warn({ channel, messageId: id, detail }, 'malformed message skipped');
    if (channel === undefined || this.malformedChannels.has(channel)) return;
    this.malformedChannels.add(channel);
    const text = `Message ${id ?? 'without an id'} does not conform to document 002, and was skipped: ${detail}`;
    faults.raise({
      reason: 'retention-gap',
      participant: ALL_PARTICIPANTS,
      channel,
      detail: describeError(text),
    });
  }

  /** Aborts what runs, and leaves the faults to the next reader. Requests in flight must be aborted by the caller. */
  async stop(): Promise<void> {
    await Promise.all(this.channels.map(({ schedule }) => schedule.stop()));
    for (const channel of this.options.channels) this.options.faults.forget(catchUpFault(channel));
  }

  /** Why the last run of a channel failed; undefined when every channel was read. */
  get failure(): string | undefined {
    return this.channels.find(({ failure }) => failure !== undefined)?.failure;
  }

  /** The oldest watermark; undefined before every channel has one. */
  get completeUntil(): Date | undefined {
    const times = this.channels.map(({ catchUp }) => catchUp.completeUntil?.getTime() ?? NaN);
    const oldest = Math.min(...times);
    return Number.isFinite(oldest) ? new Date(oldest) : undefined;
  }

  private get policy(): SchedulePolicy {
    const { GATEWAY_CATCH_UP_INTERVAL_MS, GATEWAY_READ_INTERVAL_MS } = this.options.settings;
    return this.hasEvents
      ? { intervalMs: GATEWAY_CATCH_UP_INTERVAL_MS, minIntervalMs: MIN_REQUESTED_INTERVAL_MS }
      : { intervalMs: GATEWAY_READ_INTERVAL_MS, minIntervalMs: GATEWAY_READ_INTERVAL_MS };
  }

  private createChannel(channel: string): ScheduledChannel {
    const { options, limits } = this;
    const { database, token } = options;
    const pages = new ChannelPages({ ...options, channel, limits });
    const catchUp = new ChannelCatchUp({
      ...options,
      channel,
      pages,
      watermarks: new WatermarkStore(database, token),
      consumers: new CatchUpConsumerStore(database, token),
      maxBatch: options.settings.WINDOW,
      onMalformed: (error) => this.reportMalformed(channel, error),
    });
    const scheduled: ScheduledChannel = {
      catchUp,
      schedule: new RunSchedule((stopping) => this.run(scheduled, stopping), this.policy),
      failure: `The channel ${channel} was not read yet.`,
    };
    return scheduled;
  }

  private async run(channel: ScheduledChannel, stopping: AbortSignal): Promise<RunOutcome> {
    try {
      const isAtEnd = await this.running.runExclusive(() => channel.catchUp.run(stopping));
      if (isAtEnd) this.recordSuccess(channel);
      else this.options.log.info({ channel: channel.catchUp.channel }, 'catch-up continues');
      return { kind: isAtEnd ? 'completed' : 'unfinished' };
    } catch (error) {
      if (error instanceof LeaseLostError) this.options.onLeaseLost();
      else if (!stopping.aborted) this.recordFailure(channel, error);
      return { kind: 'failed', retryAfterMs: retryAfterMs(error), isCostly: channel.catchUp.takeLoss() };
    }
  }

  private recordSuccess(scheduled: ScheduledChannel): void {
    const { metrics, faults, log } = this.options;
    metrics.catchUps.inc({ outcome: 'completed' });
    const { channel } = scheduled.catchUp;
    log.debug({ channel }, 'catch-up completed');
    scheduled.failure = scheduled.failingSince = undefined;
    if (scheduled.catchUp.isLimited) this.raiseLimit(channel, 'The last catch-up succeeded.');
    else faults.clear(catchUpFault(channel));
  }

  private recordFailure(scheduled: ScheduledChannel, error: unknown): void {
    const { metrics, faults, log } = this.options;
    const { channel } = scheduled.catchUp;
    metrics.catchUps.inc({ outcome: 'failed' });
    log.warn({ channel, err: error }, 'catch-up failed');
    const since = (scheduled.failingSince ??= new Date());
    scheduled.failure = `GET /message of ${channel} fails: ${describeError(error)}`;
    if (error instanceof ConsumerLimitError) this.raiseLimit(channel, scheduled.readFailure);
    else if (Date.now() - since.getTime() >= this.limits.failingAfterMs)
      faults.raise({
        ...catchUpFault(channel),
        detail: `Since ${since.toISOString()}: ${describeError(error)}`,
      });
    if (!(error instanceof ConsumerLimitError)) scheduled.readFailure = describeError(error);
  }

  /** Each restart and each failed read leaves a consumer at the bus, which may never remove it. */
  private raiseLimit(channel: string, cause = 'The subscriber was restarted.'): void {
    const minutes = MIN_INTERVAL_BEYOND_LIMIT_MS / 60_000;
    const detail = `More than ${MAX_CONSUMERS_A_DAY} catch-ups in 24 hours needed a new consumer at the bus, because a read failed or the subscriber was restarted; further ones are made every ${minutes} minutes. ${cause}`;
    this.options.faults.raise({ ...catchUpFault(channel), detail });
  }
}

/** A pause that the gateway requests, or until another consumer may be made. */
function retryAfterMs(error: unknown): number | undefined {
  if (error instanceof ConsumerLimitError) return error.waitMs;
  return error instanceof GatewayError ? error.retryAfterMs : undefined;
}

export function catchUpFault(channel: string): Parameters<FaultReporter['clear']>[0] {
  return { reason: 'catch-up-failing', participant: ALL_PARTICIPANTS, channel };
}
