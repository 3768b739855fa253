import { isDeepStrictEqual } from 'node:util';
import type { ClientConnection } from '@ssb/net';
import type { FaultReporter } from '@ssb/faults';
import { listReadChannels, type OperatorConfig } from '@ssb/config';
import type { Archive } from '../archive/archive.js';
import type { DatabaseFaultCarrier } from '../faults/database-fault-carrier.js';
import type { SubscriberClock } from '../faults/subscriber-clock.js';
import { SilenceWatch } from '../heartbeats/silence-watch.js';
import type { HeartbeatAge } from '../heartbeats/domain/heartbeat.js';
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
  private readonly silenceWatch: SilenceWatch;
  private ended = false;

  constructor(private readonly options: ReaderSessionOptions) {
    this.config = options.config;
    this.readers = this.createReaders();
    this.silenceWatch = new SilenceWatch({ ...options, isConnected: () => this.channels.connected });
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
    this.silenceWatch.start();
  }

  /** Applies a changed configuration. Restarts only what the change affects. */
  async reconfigure(config: OperatorConfig): Promise<void> {
    const previous = this.config;
    this.config = config;
    const readersChange = !isDeepStrictEqual(usedByReaders(previous), usedByReaders(config));
    await Promise.all([
      readersChange ? this.restartReaders() : undefined,
      this.silenceWatch.reconfigure(config),
    ]);
  }

  /** Checks for a requested recheck of the quarantine. */
  wakeRecheck(): void {
    this.readers.recheck.wake();
  }

  heartbeatAges(): readonly HeartbeatAge[] {
    return this.silenceWatch.ages();
  }

  /** Stores and acknowledges the current batch while the stream is still open. */
  async stop(): Promise<void> {
    await this.end(() => this.channels.stop());
  }

  /** Called after the lease is lost. */
  async abort(): Promise<void> {
    await this.end(() => this.channels.abort());
  }

  private async end(endChannels: () => Promise<void>): Promise<void> {
    this.ended = true;
    await Promise.all([this.silenceWatch.stop(), endChannels(), this.readers.recheck.stop()]);
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
}

/** What decides which channels are read, and what becomes of their messages. */
function usedByReaders({ participants, routes, senders, alerts }: OperatorConfig): unknown {
  return { codes: participants.map(({ code }) => code), routes, senders, rules: alerts.rules };
}
