import { Inject, Injectable } from '@nestjs/common';
import { findRoute, OperatorConfigFile, type ConfigSource } from '@ssb/config';
import { isBridgeAlert, type DetectedEvent } from '@ssb/events';
import { FaultReporter, OperationsWebhook } from '@ssb/faults';
import { withTimeout } from '@ssb/net';
import { LOGGER, type Logger } from '@ssb/platform';
import {
  UNVERIFIED_LETTER_LIMITS,
  type FailedEvent,
  type FailedJobReports,
  type PublishAttempt,
  type PublishResult,
  type RefusedJob,
} from '@ssb/redis-queue';
import { PublisherMetrics } from '../monitoring/publisher-metrics.js';
import { deadLetterFault, refusedJobFault, removedLettersFault } from './dead-letter-fault.js';
import { isHeartbeat } from './heartbeat-publisher.js';

/** Maximum wait until the fault of a dead letter is stored. */
const STORE_TIMEOUT_MS = 5_000;

/** The event of a fault that was not published in this many attempts is posted to OPERATIONS_WEBHOOK_URL as well. */
const ATTEMPTS_BEFORE_WEBHOOK = 3;

type Failure = Exclude<PublishResult, { outcome: 'published' }>;

/** Logs the events that were not published, and reports them as faults of the bridge. */
@Injectable()
export class PublicationReports implements FailedJobReports {
  /** Since the start. */
  private removedLetters = 0;

  constructor(
    @Inject(OperatorConfigFile) private readonly config: ConfigSource,
    @Inject(FaultReporter) private readonly faults: Pick<FaultReporter, 'raise' | 'flush'>,
    @Inject(OperationsWebhook) private readonly operationsWebhook: Pick<OperationsWebhook, 'post'>,
    private readonly metrics: PublisherMetrics,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** A fault about the event of a fault would repeat without end, so these events go to the webhook. A repeated post has the same id. */
  async reportFailure({ event, attempt }: PublishAttempt, result: Failure): Promise<void> {
    this.logFailure(event, attempt, result);
    if (isBridgeAlert(event.type)) {
      if (result.outcome !== 'retry' || attempt >= ATTEMPTS_BEFORE_WEBHOOK)
        this.operationsWebhook.post(event);
    } else if (result.outcome === 'dead-letter')
      await this.reportDeadLetters([{ event, reason: result.reason }]);
  }

  /** The faults are stored before the dead letters, so that a crash cannot separate them. */
  async reportDeadLetters(letters: readonly FailedEvent[]): Promise<void> {
    const config = this.config.current();
    const facts = letters.filter(({ event }) => !isBridgeAlert(event.type));
    for (const { event } of letters) if (isBridgeAlert(event.type)) this.operationsWebhook.post(event);
    for (const { event, reason } of facts)
      this.faults.raise(deadLetterFault(config, event, findRoute(config, event.type)?.channel, reason));
    if (facts.length > 0) await this.storeFaults();
  }

  /** The log line of the fault is the only one. */
  async reportRefused(jobs: readonly RefusedJob[]): Promise<void> {
    for (const job of jobs) {
      this.metrics.refusedJobs.inc({ reason: job.refusal });
      this.faults.raise(refusedJobFault(job));
    }
    await this.storeFaults();
  }

  /** Unverified dead letters were removed, because too many are kept. */
  reportRemovedLetters(count: number): void {
    this.removedLetters += count;
    this.metrics.evictedRefusedJobs.inc(count);
    this.log.error({ count }, 'unverified dead letters removed');
    this.faults.raise(removedLettersFault(this.removedLetters, UNVERIFIED_LETTER_LIMITS));
  }

  private async storeFaults(): Promise<void> {
    try {
      await withTimeout(this.faults.flush(), STORE_TIMEOUT_MS);
    } catch (err) {
      this.log.warn({ err }, 'operational alert delayed');
    }
  }

  private logFailure(event: DetectedEvent, attempt: number, { outcome, reason }: Failure): void {
    const { id: eventId, type: eventType, subject } = event;
    const fields = { eventId, eventType, subject, attempt, outcome, reason };
    if (isHeartbeat(event)) this.log.debug(fields, 'heartbeat publication failed');
    else if (outcome === 'dropped' && isBridgeAlert(event.type))
      this.log.warn(fields, 'operational alert not published');
    else if (outcome === 'dropped') this.log.info(fields, 'event ignored');
    else if (outcome === 'dead-letter') this.log.error(fields, 'event publication refused');
    // Attempts 1, 2, 4, 8 …: an outage of a day makes about twelve lines for each event.
    else if (Number.isInteger(Math.log2(attempt))) this.log.warn(fields, 'event publication failed');
  }
}
