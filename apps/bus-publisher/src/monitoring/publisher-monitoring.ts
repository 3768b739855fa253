import { Inject, Injectable } from '@nestjs/common';
import { OperatorConfigFile } from '@ssb/config';
import { createFormerFaultsTask, GatewayAccessMonitor, reportConfigReloads } from '@ssb/faults';
import type { PeriodicTask } from '@ssb/net';
import { ClockMonitor, Liveness, LOGGER, Metrics, Readiness, SETTINGS, type Logger } from '@ssb/platform';
import {
  assertWritableRedis,
  DeadLetters,
  EventQueue,
  QueueFaultReporting,
  readRedisClock,
  type EventWorker,
  type RedisConnection,
} from '@ssb/redis-queue';
import { DeadLetterRetries } from '../dead-letters/dead-letter-retries.js';
import type { PublisherClock } from '../publisher-clock.js';
import { PublisherKeys } from '../publisher-keys.js';
import { PublicationReports } from '../publishing/publication-reports.js';
import { REDIS, writableKey } from '../redis.js';
import type { Settings } from '../settings.js';
import { PublisherMetrics } from './publisher-metrics.js';
import { QueueMonitor } from './queue-monitor.js';

/** Readiness reports first; a restart is the last resort. */
const RESTART_FACTOR = 5;

/** What runs beside the worker: health checks, metrics, clocks, faults, the access to the gateway and the retries of dead letters. */
@Injectable()
export class PublisherMonitoring {
  private queueMonitor: QueueMonitor | undefined;
  private readonly formerFaults: PeriodicTask;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(REDIS) private readonly redis: RedisConnection,
    private readonly queue: EventQueue,
    private readonly deadLetters: DeadLetters,
    @Inject(ClockMonitor) private readonly clock: PublisherClock,
    private readonly gatewayAccess: GatewayAccessMonitor,
    private readonly reports: PublicationReports,
    private readonly deadLetterRetries: DeadLetterRetries,
    private readonly faultReporting: QueueFaultReporting,
    private readonly publisherMetrics: PublisherMetrics,
    private readonly readiness: Readiness,
    private readonly liveness: Liveness,
    @Inject(LOGGER) private readonly log: Logger,
    config: OperatorConfigFile,
    keys: PublisherKeys,
    metrics: Metrics,
  ) {
    keys.observe(metrics);
    reportConfigReloads(config, { metrics, faults: faultReporting.reporter });
    config.observe({ onApplied: () => gatewayAccess.requirementsChanged() });
    this.formerFaults = createFormerFaultsTask(config, faultReporting, log);
  }

  start(worker: Pick<EventWorker, 'lastProgress'>): void {
    const { redis, queue, deadLetters, reports, log, settings } = this;
    const { STUCK_AFTER_MS: stuckAfterMs } = settings;
    const queueMonitor = new QueueMonitor({
      redis,
      queue,
      deadLetters,
      worker,
      reports,
      metrics: this.publisherMetrics,
      log,
      stuckAfterMs,
      restartAfterMs: RESTART_FACTOR * stuckAfterMs + 2 * settings.GATEWAY_TIMEOUT_MS,
    });
    this.readiness.register('redis', () => assertWritableRedis(redis, writableKey(settings.QUEUE_PREFIX)));
    this.readiness.register('gateway', () => this.gatewayAccess.assertAccess());
    this.readiness.register('progress', () => queueMonitor.assertProgress());
    this.liveness.register('progress', () => queueMonitor.assertLife());
    this.clock.watch(async () => this.clock.observe('redis', await readRedisClock(redis)));
    this.faultReporting.start();
    this.formerFaults.start();
    this.gatewayAccess.start();
    queueMonitor.start();
    this.deadLetterRetries.start();
    this.queueMonitor = queueMonitor;
  }

  /** Called once the worker is closed. */
  async stop(): Promise<void> {
    this.clock.stop();
    await this.gatewayAccess.stop();
    await this.formerFaults.stop();
    await this.faultReporting.stop();
    // These may wait for Redis, so they stop last.
    await this.deadLetterRetries.stop();
    await this.queueMonitor?.stop();
  }
}
