import type {
  BeforeApplicationShutdown,
  OnApplicationBootstrap,
  OnApplicationShutdown,
} from '@nestjs/common';
import type { GatewayClient } from '@ssb/bus';
import { createFormerFaultsTask, type GatewayAccessMonitor } from '@ssb/faults';
import { type OperatorConfigFile } from '@ssb/config';
import type { KeyRingFile } from '@ssb/keys';
import {
  type QueueFaultReporting,
  EventWorker,
  type DeadLetters,
  type EventQueue,
  assertWritableRedis,
  type RedisConnection,
} from '@ssb/redis-queue';
import type { Liveness, Logger, Readiness } from '@ssb/platform';
import type { PeriodicTask } from '@ssb/net';
import { watchRedisClock, type PublisherClock } from './clock.js';
import { DeadLetterRetries } from './dead-letter-retries.js';
import type { EventPublisher } from './publish.js';
import type { PublisherMetrics } from './publisher-metrics.js';
import { QueueMonitor } from './queue-monitor.js';

export interface PublisherLifecycleDependencies {
  readonly redis: RedisConnection;
  readonly gateway: GatewayClient;
  readonly gatewayAccess: GatewayAccessMonitor;
  readonly clock: PublisherClock;
  readonly publisher: EventPublisher;
  readonly queue: EventQueue;
  readonly faultReporting: QueueFaultReporting;
  readonly deadLetters: DeadLetters;
  readonly integrityKeys: KeyRingFile;
  readonly config: Pick<OperatorConfigFile, 'current' | 'observe' | 'watch' | 'close'>;
  /** Other files that are read again when they change. */
  readonly watchedFiles: readonly { close(): Promise<void> }[];
  readonly metrics: PublisherMetrics;
  readonly readiness: Readiness;
  readonly liveness: Liveness;
  readonly log: Logger;
  readonly prefix: string;
  readonly concurrency: number;
  /** How often the dead letters are checked. */
  readonly checkIntervalMs: number;
  readonly stuckAfterMs: number;
  readonly restartAfterMs: number;
}

/** Written to check that Redis accepts writes. */
export const writableKey = (prefix: string): string => `${prefix}:writable:bus-publisher`;

/** Publishes the events of the queue, from the start of the app to its shutdown. */
export class PublisherLifecycle
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private worker: EventWorker | undefined;
  private monitor: QueueMonitor | undefined;
  private readonly formerFaults: PeriodicTask;
  private readonly deadLetterRetries: DeadLetterRetries;

  constructor(private readonly dependencies: PublisherLifecycleDependencies) {
    const { config, faultReporting, log } = dependencies;
    this.formerFaults = createFormerFaultsTask(config, faultReporting, log);
    this.deadLetterRetries = new DeadLetterRetries(dependencies);
  }

  onApplicationBootstrap(): void {
    const { redis, prefix, integrityKeys, concurrency, deadLetters, publisher } = this.dependencies;
    const { gatewayAccess, clock, faultReporting, metrics, log, readiness, liveness } = this.dependencies;
    watchRedisClock(clock, redis);
    const onError = (error: Error): void => log.warn({ err: error }, 'queue worker failed');
    const onFirstAttempt = (waitedMs: number): void => metrics.observeQueueWait(waitedMs);
    const worker = new EventWorker(
      { redis, prefix, keys: integrityKeys, concurrency, deadLetters, onError, onFirstAttempt },
      publisher,
    );
    const monitor = new QueueMonitor({ ...this.dependencies, worker });
    readiness.register('redis', () => assertWritableRedis(redis, writableKey(prefix)));
    readiness.register('gateway', () => gatewayAccess.assertAccess());
    readiness.register('progress', () => monitor.assertProgress());
    liveness.register('progress', () => monitor.assertLife());
    faultReporting.start();
    this.formerFaults.start();
    gatewayAccess.start();
    monitor.start();
    this.deadLetterRetries.start();
    this.dependencies.config.watch();
    this.worker = worker;
    this.monitor = monitor;
  }

  /** Takes no more events and completes those in flight. */
  async beforeApplicationShutdown(): Promise<void> {
    this.dependencies.clock.stop();
    await this.worker?.stopIntake();
    await this.worker?.close();
    await this.dependencies.gatewayAccess.stop();
    await this.formerFaults.stop();
    await this.dependencies.faultReporting.stop();
    // Both wait for Redis.
    await this.deadLetterRetries.stop();
    await this.monitor?.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    const { queue, deadLetters, gateway, redis, config, watchedFiles } = this.dependencies;
    for (const file of [config, ...watchedFiles]) await file.close();
    await queue.close();
    await deadLetters.close();
    await gateway.close();
    redis.disconnect();
  }
}
