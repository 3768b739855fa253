import { isDeepStrictEqual } from 'node:util';
import { type ClientConnection, PeriodicTask } from '@ssb/net';
import { endFormerFaults, FORMER_FAULTS_INTERVAL_MS, type FaultReporter } from '@ssb/faults';
import type { Database } from '@ssb/postgres';
import type { AlertTopic } from '@ssb/events';
import { listChannels, listReadChannels, type OperatorConfig } from '@ssb/config';
import type { Logger } from '@ssb/platform';
import type { CatchUpLimits } from './catch-up/catch-up.js';
import type { SubscriberClock } from './clock.js';
import { QUARANTINE_FULL } from './domain/quarantine-alerts.js';
import { Watchdog } from './heartbeats/watchdog.js';
import { HeartbeatMonitor } from './heartbeats/heartbeat-monitor.js';
import { MessageVerifier } from './message-verifier.js';
import type { DatabaseAlertCarrier } from './operations/database-alert-carrier.js';
import { listLastingTopics } from './operations/fault-table.js';
import { QuarantineRecheck } from './quarantine/quarantine-recheck.js';
import { MessageReceiver } from './receive.js';
import type { ReaderToken } from './replica/reader-lease.js';
import type { Settings } from './settings.js';
import type { Archive } from './storage/archive.js';
import { RecheckStore } from './storage/recheck-store.js';
import { ChannelReader } from './stream/channel-reader.js';
import type { SubscriberMetrics } from './subscriber-metrics.js';

export interface ReadingDependencies {
  readonly settings: Settings;
  readonly config: OperatorConfig;
  readonly database: Database;
  readonly archive: Archive;
  readonly dispatcher: { wake(): void };
  readonly alerts: DatabaseAlertCarrier;
  readonly faults: FaultReporter;
  readonly clock: SubscriberClock;
  readonly gatewayConnection: ClientConnection;
  readonly webhookConnection: ClientConnection;
  /** Returns the present password of the gateway's user. */
  readonly gatewayPassword: () => string;
  readonly metrics: SubscriberMetrics;
  readonly log: Logger;
  /** Called when the database refuses a write because another replica reads the channels. */
  readonly onLeaseLost: () => void;
  /** Called when a connection to the gateway began or ended. */
  readonly onConnection: (connected: boolean) => void;
  readonly catchUpLimits?: Partial<CatchUpLimits> | undefined;
  readonly supersededForMs?: number | undefined;
}

/** What a replica does while it holds the reader lease: it reads the channels, watches the heartbeats and rechecks the quarantine. */
export class Reading {
  /** In use; it changes while the process runs. */
  private config: OperatorConfig;
  private channels: ChannelReader;
  private recheck: QuarantineRecheck;
  private heartbeats: HeartbeatMonitor;
  private readonly formerFaults: PeriodicTask;
  private readonly watchdog: Watchdog;
  private ended = false;

  constructor(
    private readonly token: ReaderToken,
    private readonly dependencies: ReadingDependencies,
  ) {
    const { database, faults, metrics, log } = dependencies;
    this.config = dependencies.config;
    [this.channels, this.recheck] = this.createReaders();
    this.heartbeats = this.createHeartbeats();
    this.watchdog = new Watchdog({
      url: dependencies.settings.WATCHDOG_URL,
      connection: dependencies.webhookConnection,
      isAlive: () => this.heartbeats.isAnyAlive(dependencies.clock.now()),
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
        log.error({ err }, 'fault access failed');
      },
    );
  }

  get reader(): ChannelReader {
    return this.channels;
  }

  start(): void {
    this.startReaders();
    this.heartbeats.start();
    this.formerFaults.start();
    this.watchdog.start();
  }

  /** Takes a changed configuration into use. What does not use the change goes on. */
  async reconfigure(config: OperatorConfig): Promise<void> {
    const previous = this.config;
    this.config = config;
    const [readersChange, heartbeatsChange] = [usedByReaders, usedByHeartbeats].map(
      (used) => !isDeepStrictEqual(used(previous), used(config)),
    );
    await Promise.all([
      readersChange ? this.restartReaders() : undefined,
      heartbeatsChange ? this.restartHeartbeats() : undefined,
    ]);
    this.formerFaults.wake();
  }

  /** Checks for a requested recheck of the quarantine. */
  wakeRecheck(): void {
    this.recheck.wake();
  }

  heartbeatAges(now: Date): ReturnType<HeartbeatMonitor['ages']> {
    return this.heartbeats.ages(now);
  }

  /** Stores and acknowledges the current batch while the stream is still open. */
  async stop(): Promise<void> {
    await this.end(() => this.channels.stop());
  }

  /** Called after the lease is lost. */
  async abort(): Promise<void> {
    await this.end(() => this.channels.abort());
  }

  /** The channels that are watched for faults of this reason. */
  private channelsOf({ reason }: AlertTopic): readonly string[] {
    return reason === 'heartbeat-missing' ? listChannels(this.config) : listReadChannels(this.config);
  }

  private async end(endChannels: () => Promise<void>): Promise<void> {
    this.ended = true;
    await Promise.all([
      this.heartbeats.stop(),
      endChannels(),
      this.recheck.stop(),
      this.formerFaults.stop(),
      this.watchdog.stop(),
    ]);
  }

  private createReaders(): [ChannelReader, QuarantineRecheck] {
    const { token, config, dependencies } = this;
    const { settings, database, archive, dispatcher, alerts, faults, onLeaseLost, metrics, log } =
      dependencies;
    const verifier = new MessageVerifier(config, settings);
    const now = (): Date => dependencies.clock.now();
    const receiver = new MessageReceiver(token, verifier, archive, dispatcher, faults, metrics, log, now);
    const recheck = new QuarantineRecheck({
      reader: token,
      verifier,
      store: new RecheckStore(database),
      archive,
      now,
      dispatcher,
      maxBytes: settings.QUARANTINE_MAX_BYTES,
      onRoom: () => alerts.clear(QUARANTINE_FULL, new Date()),
      onLeaseLost,
      metrics,
      log,
    });
    return [
      new ChannelReader({ ...dependencies, token, channels: listReadChannels(config), receiver }),
      recheck,
    ];
  }

  private createHeartbeats(): HeartbeatMonitor {
    const { config, dependencies } = this;
    return new HeartbeatMonitor({
      ...dependencies,
      config,
      now: () => dependencies.clock.now(),
      timeoutMs: dependencies.settings.HEARTBEAT_TIMEOUT_MS,
      isConnected: () => this.channels.connected,
    });
  }

  private startReaders(): void {
    this.channels.start();
    this.recheck.wake();
  }

  private async restartReaders(): Promise<void> {
    try {
      await Promise.all([this.channels.stop(), this.recheck.stop()]);
    } finally {
      if (!this.ended) {
        [this.channels, this.recheck] = this.createReaders();
        this.startReaders();
      }
    }
  }

  private async restartHeartbeats(): Promise<void> {
    await this.heartbeats.stop();
    if (this.ended) return;
    this.heartbeats = this.createHeartbeats();
    this.heartbeats.start();
  }
}

/** What decides which channels are read, and what becomes of their messages. */
function usedByReaders({ participants, routes, senders, alerts }: OperatorConfig): unknown {
  return { codes: participants.map(({ code }) => code), routes, senders, rules: alerts.rules };
}

function usedByHeartbeats(config: OperatorConfig): unknown {
  return { codes: config.participants.map(({ code }) => code), channels: listChannels(config) };
}
