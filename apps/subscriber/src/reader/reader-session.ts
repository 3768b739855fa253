import { isDeepStrictEqual } from 'node:util';
import { listReadChannels, type OperatorConfig } from '@ssb/config';
import { SilenceWatch } from '../heartbeats/silence-watch.js';
import type { HeartbeatAge } from '../heartbeats/domain/heartbeat.js';
import { QUARANTINE_FULL } from '../quarantine/domain/quarantine-faults.js';
import { QuarantineRecheck } from '../quarantine/quarantine-recheck.js';
import { RecheckStore } from '../quarantine/recheck-store.js';
import { MessageReceiver } from '../receiver/message-receiver.js';
import { MessageVerifier } from '../receiver/domain/message-verifier.js';
import { OperationStoppedError, retryDatabase } from '../database/retry-database.js';
import { LeaseLostError, type ReaderToken } from '../replica/reader-lease.js';
import type { Term } from '../replica/running-term.js';
import { recordTrustedKeys } from '../trust/key-history.js';
import { DetectedStream } from './detected-stream.js';
import type { ReaderDependencies } from './reader-dependencies.js';

/** The parts that are replaced when the configuration changes which channels are read, or how their messages are handled. */
interface Readers {
  readonly stream: DetectedStream;
  readonly receiver: MessageReceiver;
  readonly recheck: QuarantineRecheck;
}

/** The work of the replica that holds the reader lease: it reads the channels, watches the heartbeats and rechecks the quarantine. */
export class ReaderSession {
  private config: OperatorConfig;
  private readers: Readers;
  private readonly silenceWatch: SilenceWatch;
  private readonly ending = new AbortController();

  /** @param token of the reader lease, which ends with the term */
  constructor(
    private readonly dependencies: ReaderDependencies,
    readonly token: ReaderToken,
    private readonly term: Term,
  ) {
    this.config = dependencies.configInUse.current();
    this.readers = this.createReaders();
    this.silenceWatch = new SilenceWatch({
      ...dependencies,
      config: this.config,
      isConnected: () => this.stream.connected,
    });
  }

  get stream(): DetectedStream {
    return this.readers.stream;
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
    await this.end(() => this.stream.stop());
  }

  /** Called after the lease is lost. */
  async abort(): Promise<void> {
    await this.end(() => this.stream.abort());
  }

  private async end(endStream: () => Promise<void>): Promise<void> {
    this.ending.abort();
    await Promise.all([this.silenceWatch.stop(), endStream(), this.readers.recheck.stop()]);
  }

  private createReaders(): Readers {
    const { config, dependencies, token, term } = this;
    const { settings, database, archive, dispatcher, clock, faults, faultCarrier, metrics, log } =
      dependencies;
    const verifier = new MessageVerifier(config, settings);
    const now = (): Date => clock.now();
    const onLeaseLost = (): void => term.reportLost();
    const receiver = new MessageReceiver({
      token,
      verifier,
      archive,
      dispatcher,
      faults,
      metrics,
      log,
      now,
    });
    const channels = listReadChannels(config);
    const stream = new DetectedStream(dependencies, { token, channels, receiver, onLeaseLost });
    const recheck = new QuarantineRecheck({
      token,
      verifier,
      store: new RecheckStore(database),
      archive,
      dispatcher,
      metrics,
      log,
      now,
      maxBytes: settings.QUARANTINE_MAX_BYTES,
      onRoom: () => faultCarrier.clear(QUARANTINE_FULL, new Date()),
      onLeaseLost,
    });
    return { stream, receiver, recheck };
  }

  private startReaders(): void {
    this.readers.stream.start();
    this.readers.recheck.wake();
  }

  private async restartReaders(): Promise<void> {
    try {
      await Promise.all([this.readers.stream.stop(), this.readers.recheck.stop()]);
    } finally {
      if (await this.recordTrustedKeys()) {
        this.readers = this.createReaders();
        this.startReaders();
      }
    }
  }

  /** @returns false when the session ends */
  private async recordTrustedKeys(): Promise<boolean> {
    const { config, term, token, ending } = this;
    const { database, metrics, log } = this.dependencies;
    if (ending.signal.aborted) return false;
    try {
      await retryDatabase(
        () => recordTrustedKeys(database, config, token),
        ending.signal,
        (err, attempt, waitMs) => {
          metrics.storageFailures.inc();
          log.error({ err, attempt, waitMs }, 'trusted keys not recorded');
        },
      );
      return !ending.signal.aborted;
    } catch (error) {
      if (error instanceof LeaseLostError) term.reportLost();
      else if (!(error instanceof OperationStoppedError)) throw error;
      return false;
    }
  }
}

/** The settings that decide which channels are read and how their messages are handled. */
function usedByReaders({ participants, routes, senders, revoked, alerts }: OperatorConfig): unknown {
  return { codes: participants.map(({ code }) => code), routes, senders, revoked, rules: alerts.rules };
}
