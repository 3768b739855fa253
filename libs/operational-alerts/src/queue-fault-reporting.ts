import type { BridgeApp } from '@ssb/events';
import type { Degradations, Logger, Metrics } from '@ssb/platform';
import type { EventQueue } from '@ssb/queue';
import type { Redis } from 'ioredis';
import { FaultReporter } from './fault-reporter.js';
import { openOperationsWebhook, type OperationsWebhook } from './operations-webhook.js';
import { QueueAlertCarrier } from './queue-alert-carrier.js';
import { postEarlierOutageEnd } from './queue-outage.js';
import { RedisMonitor } from './redis-monitor.js';
import { WebhookAlertCarrier } from './webhook-alert-carrier.js';

export interface QueueFaultReportingOptions {
  readonly app: BridgeApp;
  readonly settings: Parameters<typeof openOperationsWebhook>[0] & {
    readonly QUEUE_PREFIX: string;
    readonly QUEUE_UNAVAILABLE_AFTER_MS: number;
  };
  readonly redis: Redis;
  readonly queue: EventQueue;
  readonly degradations: Degradations;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Reports the faults of an app whose alerts travel on the queue, those of the queue itself included. */
export class QueueFaultReporting {
  readonly reporter: FaultReporter;
  readonly webhook: OperationsWebhook;
  private readonly redisMonitor: RedisMonitor;

  constructor({ app, settings, redis, queue, degradations, metrics, log }: QueueFaultReportingOptions) {
    const prefix = settings.QUEUE_PREFIX;
    this.webhook = openOperationsWebhook(settings, log);
    const carrier = new QueueAlertCarrier({ app, redis, prefix, queue, webhook: this.webhook, log });
    const queueFaultCarrier = new WebhookAlertCarrier(app, this.webhook);
    this.reporter = new FaultReporter({ app, carrier, queueFaultCarrier, degradations, metrics, log });
    const unavailableAfterMs = settings.QUEUE_UNAVAILABLE_AFTER_MS;
    const onEarlierOutage = (since: Date): void => postEarlierOutageEnd(app, this.webhook, since);
    const faults = this.reporter;
    this.redisMonitor = new RedisMonitor({ app, redis, prefix, faults, unavailableAfterMs, onEarlierOutage });
  }

  start(): void {
    this.reporter.start();
    this.redisMonitor.start();
  }

  /** Makes one more attempt to send what is pending. */
  async stop(): Promise<void> {
    this.redisMonitor.stop();
    await this.reporter.stop();
    await this.webhook.stop();
  }
}
