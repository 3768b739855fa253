import type { Database } from '@ssb/database';
import { ALL_PARTICIPANTS } from '@ssb/events';
import type { FaultReporter } from '@ssb/operational-alerts';
import type { Logger } from '@ssb/platform';
import type { CatchUp } from '../catch-up/catch-up.js';
import { advance, complete } from '../catch-up/domain/watermark.js';
import { listLastingTopics } from '../operations/fault-table.js';
import { LeaseLostError, requireReader, type ReaderToken } from '../replica/reader-lease.js';
import { OperationStoppedError, retryDatabase } from '../storage/retry-database.js';
import type { WatermarkStore } from '../storage/watermark-store.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import { readArchivedUntil, type Delivered } from './archived-until.js';

export interface SupersessionOptions {
  readonly token: ReaderToken;
  /** Channels of the configuration. */
  readonly channels: readonly string[];
  readonly database: Database;
  readonly watermarks: Pick<WatermarkStore, 'advance'>;
  readonly createCatchUp: () => CatchUp;
  /** Up to where each channel is stored, nanoseconds. A channel of which nothing was received is absent. */
  readonly storedUntil: () => ReadonlyMap<string, bigint>;
  /** The fault ends when the connection lasts this long. Default 15 minutes. */
  readonly supersededForMs?: number | undefined;
  readonly faults: Pick<FaultReporter, 'raise' | 'clear' | 'forget'>;
  readonly onLeaseLost: () => void;
  readonly metrics: SubscriberMetrics;
  readonly log: Logger;
}

export const SUPERSEDED_FAULT: Parameters<FaultReporter['clear']>[0] = {
  reason: 'client-superseded',
  participant: ALL_PARTICIPANTS,
};
/** Longer than the 10 minutes after which an alert rule fires. */
const SUPERSEDED_FOR_MS = 15 * 60_000;
/** A client that was connected before a longer connection of the subscriber would have connected again. */
const MAX_ABSENCE_MS = 24 * 3_600_000;

/**
 * Reports another client that took over the client id, and reads what it acknowledged again from the log. While the fault lasts, the channels
 * are read at intervals and on each connection, as with plain delivery. Another replica of this subscriber is not reported.
 */
export class Supersession {
  private readonly stopping = new AbortController();
  /** Reads while the fault lasts. */
  private catchUp: CatchUp | undefined;
  private connection: { readonly openedAt: number } | undefined;
  /** At the end of the last connection. */
  private delivered: Delivered | undefined;
  /** Before the first connection. */
  private archived: Delivered | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Uses the database, one step at a time. */
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly options: SupersessionOptions) {}

  /** Continues what an earlier reader has reported. */
  start(): void {
    const { database, channels } = this.options;
    const startedAt = new Date();
    this.enqueue(async () => {
      this.archived = await readArchivedUntil(database, channels, startedAt);
    });
    this.enqueue(async () => {
      const topics = await listLastingTopics(database);
      if (topics.some(({ reason }) => reason === SUPERSEDED_FAULT.reason))
        this.read('An earlier reader of this subscriber reported it.');
    });
  }

  connected(): void {
    this.connection = { openedAt: performance.now() };
    this.catchUp?.trigger();
    this.expectEnd();
  }

  disconnected(isSuperseded: boolean): void {
    const { connection, delivered } = this;
    this.connection = undefined;
    clearTimeout(this.timer);
    if (connection === undefined) return;
    const at = new Date();
    this.delivered = { at, until: this.options.storedUntil() };
    if (!isSuperseded) return;
    // The other client may also have been connected before this connection.
    const isLong = performance.now() - connection.openedAt > MAX_ABSENCE_MS;
    const start = isLong ? this.delivered : delivered;
    this.enqueue(async () => {
      await this.requireLease();
      if (this.catchUp === undefined) await this.recordStart(start ?? this.archived);
      this.read(`It was at ${at.toISOString()}.`);
    });
  }

  /** Leaves the fault to the next reader. Requests in flight must be aborted by the caller. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    await Promise.all([this.work, this.catchUp?.stop()]);
    this.options.faults.forget(SUPERSEDED_FAULT);
  }

  /** @param step idempotent; repeated until the database completes it */
  private enqueue(step: () => Promise<void>): void {
    const { metrics, log, onLeaseLost } = this.options;
    const run = async (): Promise<void> => {
      if (this.stopping.signal.aborted) return;
      try {
        await retryDatabase(step, this.stopping.signal, (err, attempt, waitMs) => {
          metrics.storageFailures.inc();
          log.error({ err, attempt, waitMs }, 'superseded connection not examined');
        });
      } catch (error) {
        if (error instanceof LeaseLostError) onLeaseLost();
        else if (!(error instanceof OperationStoppedError)) throw error;
      }
    };
    this.work = this.work.then(run);
  }

  /** @throws LeaseLostError when another replica reads the channels: it is the other client */
  private async requireLease(): Promise<void> {
    const { database, token } = this.options;
    await database.transaction((session) => requireReader(session, token));
  }

  /** The catch-up begins here. A channel without a stored message is read from its watermark or its beginning. */
  private async recordStart(start: Delivered | undefined): Promise<void> {
    if (start === undefined) return;
    const { channels, watermarks } = this.options;
    for (const channel of channels) {
      const nanos = start.until.get(channel) ?? this.archived?.until.get(channel) ?? 0n;
      const stored = advance(undefined, nanos, start.at, start.at);
      await watermarks.advance(channel, complete(stored, start.at));
    }
  }

  private read(cause: string): void {
    if (this.stopping.signal.aborted) return;
    const { token, faults, log, createCatchUp } = this.options;
    log.error({ clientId: token.clientId, detail: cause }, 'client id superseded');
    faults.raise({
      ...SUPERSEDED_FAULT,
      detail: `Another client connected to the gateway with the client id ${token.clientId}. ${cause} The channels are read again from the log of the bus.`,
    });
    this.catchUp ??= createCatchUp();
    this.catchUp.trigger();
    this.expectEnd();
  }

  private expectEnd(): void {
    clearTimeout(this.timer);
    const { connection } = this;
    if (connection === undefined || this.catchUp === undefined) return;
    this.timer = setTimeout(
      () => void this.endAfterRead(connection),
      this.options.supersededForMs ?? SUPERSEDED_FOR_MS,
    );
  }

  private async endAfterRead(connection: object): Promise<void> {
    const { catchUp } = this;
    await catchUp?.request().ended;
    if (catchUp === undefined || this.connection !== connection || this.stopping.signal.aborted) return;
    if (catchUp.failure !== undefined) return this.expectEnd();
    this.catchUp = undefined;
    this.options.faults.clear(SUPERSEDED_FAULT);
    this.options.log.info('client id superseded no longer');
    await catchUp.stop();
  }
}
