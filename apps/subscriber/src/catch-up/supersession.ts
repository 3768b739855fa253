import type { Database } from '@ssb/postgres';
import { ALL_PARTICIPANTS } from '@ssb/events';
import type { FaultReporter } from '@ssb/faults';
import type { Logger } from '@ssb/platform';
import type { CatchUp } from './catch-up.js';
import { advance, complete } from './domain/watermark.js';
import { listLastingTopics } from '../faults/fault-table.js';
import { LeaseLostError, assertReader, type ReaderToken } from '../replica/reader-lease.js';
import { OperationStoppedError, retryDatabase } from '../database/retry-database.js';
import { WatermarkStore } from './watermark-store.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import { readArchivedUntil } from './archived-until.js';

export interface SupersessionOptions {
  readonly token: ReaderToken;
  /** Channels of the configuration. */
  readonly channels: readonly string[];
  readonly database: Database;
  readonly createCatchUp: () => CatchUp;
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
/** The other client may have been connected this long before it is noticed. The archive keeps heartbeats only for a day. */
const MAX_ABSENCE_MS = 23 * 3_600_000;

/**
 * Reports another client that took over the client id, and reads what it acknowledged again from the log. While the fault lasts, the channels
 * are read at intervals and on each connection, as with plain delivery. Another replica of this subscriber is not reported.
 */
export class Supersession {
  private readonly stopping = new AbortController();
  /** Reads while the fault lasts. */
  private catchUp: CatchUp | undefined;
  /** Compared by identity. */
  private connection: object | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Uses the database, one step at a time. */
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly options: SupersessionOptions) {}

  /** Continues what an earlier reader has reported. */
  start(): void {
    this.enqueue(async () => {
      const topics = await listLastingTopics(this.options.database);
      if (topics.some(({ reason }) => reason === SUPERSEDED_FAULT.reason))
        this.read('An earlier reader of this subscriber reported it.');
    });
  }

  connected(): void {
    this.connection = {};
    this.catchUp?.trigger();
    this.expectEnd();
  }

  disconnected(isSuperseded: boolean): void {
    this.connection = undefined;
    clearTimeout(this.timer);
    if (!isSuperseded) return;
    const at = new Date();
    this.enqueue(async () => {
      await this.assertLease();
      if (this.catchUp === undefined) await this.recordStart(at);
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
  private async assertLease(): Promise<void> {
    const { database, token } = this.options;
    await database.transaction((session) => assertReader(session, token));
  }

  /**
   * The catch-up begins at the newest message that was archived before the other client can have been connected. A channel without one is read
   * from its watermark or its beginning.
   */
  private async recordStart(supersededAt: Date): Promise<void> {
    const { database, channels, token } = this.options;
    const watermarks = new WatermarkStore(database, token);
    const before = new Date(supersededAt.getTime() - MAX_ABSENCE_MS);
    const archived = await readArchivedUntil(database, channels, before);
    if (archived === undefined) return;
    const { at, newestNanos } = archived;
    for (const channel of channels) {
      const watermark = advance(undefined, newestNanos.get(channel) ?? 0n, at, at);
      await watermarks.advance(channel, complete(watermark, at));
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
    this.options.log.info('client id no longer superseded');
    await catchUp.stop();
  }
}
