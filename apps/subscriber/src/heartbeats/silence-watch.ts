import { isDeepStrictEqual } from 'node:util';
import { listChannels, listReadChannels, type OperatorConfig } from '@ssb/config';
import type { AlertTopic } from '@ssb/events';
import { endFormerFaults, FORMER_FAULTS_INTERVAL_MS, type FaultReporter } from '@ssb/faults';
import { PeriodicTask, type ClientConnection } from '@ssb/net';
import type { Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { listLastingTopics } from '../faults/fault-table.js';
import type { SubscriberClock } from '../faults/subscriber-clock.js';
import type { Settings } from '../settings.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import type { HeartbeatAge } from './domain/heartbeat.js';
import { HeartbeatMonitor } from './heartbeat-monitor.js';
import { Watchdog } from './watchdog.js';

export interface SilenceWatchOptions {
  readonly settings: Settings;
  readonly config: OperatorConfig;
  readonly database: Database;
  readonly clock: SubscriberClock;
  readonly webhookConnection: ClientConnection;
  /** Whether the stream of the gateway is connected. */
  readonly isConnected: () => boolean;
  readonly faults: FaultReporter;
  readonly metrics: SubscriberMetrics;
  readonly log: Logger;
}

/**
 * Notices silence while this replica reads the channels: it watches the heartbeats, and requests the watchdog while they arrive. Ends faults
 * of participants and channels that the configuration no longer names.
 */
export class SilenceWatch {
  /** In use; it changes while the process runs. */
  private config: OperatorConfig;
  private heartbeats: HeartbeatMonitor;
  private readonly watchdog: Watchdog;
  private readonly formerFaults: PeriodicTask;
  private ended = false;

  constructor(private readonly options: SilenceWatchOptions) {
    const { settings, database, webhookConnection, clock, faults, metrics, log } = options;
    this.config = options.config;
    this.heartbeats = this.createHeartbeats();
    this.watchdog = new Watchdog({
      url: settings.WATCHDOG_URL,
      connection: webhookConnection,
      isAlive: () => this.heartbeats.isAnyAlive(clock.now()),
      log,
    });
    this.formerFaults = new PeriodicTask(
      async () => {
        const topics = await listLastingTopics(database);
        endFormerFaults(topics, this.config, (topic) => this.channelsOf(topic), faults);
      },
      FORMER_FAULTS_INTERVAL_MS,
      (err) => {
        metrics.storageFailures.inc();
        log.error({ err }, 'fault state read failed');
      },
    );
  }

  start(): void {
    this.heartbeats.start();
    this.formerFaults.start();
    this.watchdog.start();
  }

  /** Watches the participants and channels of another configuration. */
  async reconfigure(config: OperatorConfig): Promise<void> {
    const changes = !isDeepStrictEqual(watched(this.config), watched(config));
    this.config = config;
    if (changes) await this.restartHeartbeats();
    this.formerFaults.wake();
  }

  ages(): readonly HeartbeatAge[] {
    return this.heartbeats.ages(this.options.clock.now());
  }

  async stop(): Promise<void> {
    this.ended = true;
    await Promise.all([this.heartbeats.stop(), this.formerFaults.stop(), this.watchdog.stop()]);
  }

  /** The channels that are watched for faults of this reason. */
  private channelsOf({ reason }: AlertTopic): readonly string[] {
    return reason === 'heartbeat-missing' ? listChannels(this.config) : listReadChannels(this.config);
  }

  private createHeartbeats(): HeartbeatMonitor {
    const { config, options } = this;
    return new HeartbeatMonitor({
      ...options,
      config,
      now: () => options.clock.now(),
      timeoutMs: options.settings.HEARTBEAT_TIMEOUT_MS,
    });
  }

  private async restartHeartbeats(): Promise<void> {
    await this.heartbeats.stop();
    if (this.ended) return;
    this.heartbeats = this.createHeartbeats();
    this.heartbeats.start();
  }
}

/** What of a configuration is watched. */
function watched(config: OperatorConfig): unknown {
  return { codes: config.participants.map(({ code }) => code), channels: listChannels(config) };
}
