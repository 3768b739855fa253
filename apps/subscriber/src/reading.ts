import type { ClientConnection } from '@ssb/client-connections';
import type { Database } from '@ssb/database';
import type { FaultReporter } from '@ssb/operational-alerts';
import { listChannels, type OperatorConfig } from '@ssb/operator-config';
import type { Logger } from '@ssb/platform';
import type { CatchUpLimits } from './catch-up/catch-up.js';
import type { SubscriberClock } from './clock.js';
import { QUARANTINE_FULL } from './domain/quarantine-alerts.js';
import { HeartbeatMonitor } from './heartbeats/heartbeat-monitor.js';
import { MessageVerifier } from './message-verifier.js';
import type { DatabaseAlertCarrier } from './operations/database-alert-carrier.js';
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
  /** Returns the present password of the gateway's user. */
  readonly gatewayPassword: () => string;
  readonly metrics: SubscriberMetrics;
  readonly log: Logger;
  /** Called when the database refuses a write because another replica reads the channels. */
  readonly onLeaseLost: () => void;
  /** Called when a connection to the gateway began or ended. */
  readonly onConnection: (connected: boolean) => void;
  readonly catchUpLimits?: Partial<CatchUpLimits> | undefined;
}

/** What a replica does while it holds the reader lease: it reads the channels, watches the heartbeats and rechecks the quarantine. */
export class Reading {
  readonly reader: ChannelReader;
  private readonly heartbeats: HeartbeatMonitor;
  private readonly recheck: QuarantineRecheck;

  constructor(token: ReaderToken, dependencies: ReadingDependencies) {
    const { settings, config, database, archive, dispatcher, alerts, faults, metrics, log } = dependencies;
    const { onLeaseLost } = dependencies;
    const verifier = new MessageVerifier(config, settings);
    const receiver = new MessageReceiver(token, verifier, archive, dispatcher, metrics, log);
    this.reader = new ChannelReader({ ...dependencies, token, channels: listChannels(config), receiver });
    this.heartbeats = new HeartbeatMonitor({
      database,
      config,
      timeoutMs: settings.HEARTBEAT_TIMEOUT_MS,
      faults,
      isConnected: () => this.reader.connected,
      metrics,
      log,
    });
    this.recheck = new QuarantineRecheck({
      reader: token,
      verifier,
      store: new RecheckStore(database),
      archive,
      dispatcher,
      maxBytes: settings.QUARANTINE_MAX_BYTES,
      onRoom: () => alerts.clear(QUARANTINE_FULL, new Date()),
      onLeaseLost,
      metrics,
      log,
    });
  }

  start(): void {
    this.reader.start();
    this.heartbeats.start();
    this.recheck.wake();
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
    await Promise.all([this.heartbeats.stop(), this.reader.stop(), this.recheck.stop()]);
  }

  /** Called after the lease is lost. */
  async abort(): Promise<void> {
    await Promise.all([this.heartbeats.stop(), this.reader.abort(), this.recheck.stop()]);
  }
}
