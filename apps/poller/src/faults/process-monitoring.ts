import { Inject, Injectable } from '@nestjs/common';
import { OperatorConfigFile } from '@ssb/config';
import { createFormerFaultsTask, FaultReporter, reportConfigReloads } from '@ssb/faults';
import type { PeriodicTask } from '@ssb/net';
import { LOGGER, Metrics, ScrapeReading, type Logger } from '@ssb/platform';
import {
  observeQueue,
  QueueFaultReporting,
  QueueReader,
  type EventQueue,
  type RedisConnection,
} from '@ssb/redis-queue';
import { QUEUE, REDIS } from '../redis.js';

/** The faults and metrics that belong to no participant: those of the configuration, and of the queue. */
@Injectable()
export class ProcessMonitoring {
  private readonly formerFaults: PeriodicTask;

  constructor(
    config: OperatorConfigFile,
    faults: FaultReporter,
    private readonly faultReporting: QueueFaultReporting,
    @Inject(REDIS) redis: RedisConnection,
    @Inject(QUEUE) queue: EventQueue,
    metrics: Metrics,
    @Inject(LOGGER) log: Logger,
  ) {
    reportConfigReloads(config, { metrics, faults });
    this.formerFaults = createFormerFaultsTask(config, faultReporting, log);
    const reader = new QueueReader({ redis, queue, log });
    // One reading serves the gauges of a scrape.
    const reading = new ScrapeReading(() => reader.read(), { what: 'queue', log, maxAgeMs: 1_000 });
    observeQueue(metrics, () => reading.get());
  }

  /** Reports faults from now on, and ends those of participants that are no longer configured. */
  start(): void {
    this.faultReporting.start();
    this.formerFaults.start();
  }

  async stop(): Promise<void> {
    await this.formerFaults.stop();
    await this.faultReporting.stop();
  }
}
