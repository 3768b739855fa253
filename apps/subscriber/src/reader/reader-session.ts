import { isDeepStrictEqual } from 'node:util';
import { PeriodicTask, type ClientConnection } from '@ssb/net';
import { endFormerFaults, FORMER_FAULTS_INTERVAL_MS, type FaultReporter } from '@ssb/faults';
import type { AlertTopic } from '@ssb/events';
import { listChannels, listReadChannels, type OperatorConfig } from '@ssb/config';
import type { Archive } from '../archive/archive.js';
import type { DatabaseFaultCarrier } from '../faults/database-fault-carrier.js';
import { listLastingTopics } from '../faults/fault-table.js';
import type { SubscriberClock } from '../faults/subscriber-clock.js';
import { HeartbeatMonitor } from '../heartbeats/heartbeat-monitor.js';
import { Watchdog } from '../heartbeats/watchdog.js';
import { QUARANTINE_FULL } from '../quarantine/domain/quarantine-faults.js';
import { QuarantineRecheck } from '../quarantine/quarantine-recheck.js';
import { RecheckStore } from '../quarantine/recheck-store.js';
import { MessageReceiver } from '../receiver/message-receiver.js';
import { MessageVerifier } from '../receiver/message-verifier.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import { ChannelReader, type ChannelReaderOptions } from './channel-reader.js';

export interface ReaderSessionOptions extends Omit<ChannelReaderOptions, 'channels' | 'receiver'> {
  readonly config: OperatorConfig;
  readonly archive: Archive;
  readonly dispatcher: { wake(): void };
  readonly faults: FaultReporter;
  readonly faultCarrier: DatabaseFaultCarrier;
  readonly clock: SubscriberClock;
  readonly webhookConnection: ClientConnection;
}

/** What the configuration decides: the channels, and what becomes of their messages. */
interface Readers {
  readonly receiver: MessageReceiver;
  readonly channels: ChannelReader;
  readonly recheck: QuarantineRecheck;
}

/** The work of the replica that holds the reader lease: it reads the channels, watches the heartbeats and rechecks the quarantine. */
export class ReaderSession {
  /** In use; it changes while the process runs. */
  private config: OperatorConfig;
  private readers: Readers;
  private heartbeats: HeartbeatMonitor;
  private readonly formerFaults: PeriodicTask;
  private readonly watchdog: Watchdog;
  private ended = false;

  constructor(private readonly options: ReaderSessionOptions) {
    const { settings, database, webhookConnection, clock, faults, metrics, log } = options;
    this.config = options.config;
    this.readers = this.createReaders();
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
        log.error({ err }, 'fault access failed');
      },
    );
  }

  get token(): ReaderToken {
    return this.options.token;
  }

  get channels(): ChannelReader {
    return this.readers.channels;
  }

  get receiver(): MessageReceiver {
    return this.readers.receiver;
  }

  start(): void {
    this.startReaders();
    this.heartbeats.start();
    this.formerFaults.start();
    this.watchdog.start();
  }

  /** Applies a changed configuration. Restarts only what the change affects. */
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
    this.readers.recheck.wake();
  }

  heartbeatAges(): ReturnType<HeartbeatMonitor['ages']> {
    return this.heartbeats.ages(this.options.clock.now());
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
      this.readers.recheck.stop(),
      this.formerFaults.stop(),
      this.watchdog.stop(),
    ]);
  }

  private createReaders(): Readers {
    const { config, options } = this;
    const { token, settings, database, archive, faultCarrier, clock } = options;
    const shared = {
      ...options,
      reader: token,
      verifier: new MessageVerifier(config, settings),
      now: () => clock.now(),
    };
    const receiver = new MessageReceiver(shared);
    const channels = new ChannelReader({ ...options, channels: listReadChannels(config), receiver });
    const recheck = new QuarantineRecheck({
      ...shared,
      store: new RecheckStore(database),
      archive,
      maxBytes: settings.QUARANTINE_MAX_BYTES,
      onRoom: () => faultCarrier.clear(QUARANTINE_FULL, new Date()),
    });
    return { receiver, channels, recheck };
  }

  private createHeartbeats(): HeartbeatMonitor {
    const { config, options } = this;
    return new HeartbeatMonitor({
      ...options,
      config,
      now: () => options.clock.now(),
      timeoutMs: options.settings.HEARTBEAT_TIMEOUT_MS,
      isConnected: () => this.channels.connected,
    });
  }

  private startReaders(): void {
    this.readers.channels.start();
    this.readers.recheck.wake();
  }

  private async restartReaders(): Promise<void> {
    try {
      await Promise.all([this.readers.channels.stop(), this.readers.recheck.stop()]);
    } finally {
      if (!this.ended) {
        this.readers = this.createReaders();
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
