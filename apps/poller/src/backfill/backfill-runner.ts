import type { MarketInterface } from '@ssb/events';
import type { KeySource } from '@ssb/keys';
import type { Logger } from '@ssb/platform';
import {
  BackfillStore,
  countEvents,
  isFinished,
  type BackfillLeftOut,
  type DiscardedValue,
  type RedisConnection,
} from '@ssb/redis-queue';
import type { LeftOut } from '../detection/detection.js';
import { FailureLog } from '../faults/failure-log.js';
import type { ParticipantFaults } from '../faults/participant-faults.js';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';
import { describeLeftOut } from '../polls/responses.js';
import type { FencingToken } from '../state/poller-keys.js';
import type { MarketClients } from '../market/market-clients.js';
import { BackfillInterruptedError } from './backfill-attempts.js';
import { BackfillDetections, type BackfillDetectionsDependencies } from './backfill-detections.js';
import { BackfillRun, type BackfillDependencies } from './backfill-run.js';

export interface BackfillRunnerOptions
  extends BackfillDetectionsDependencies, Pick<BackfillDependencies, 'queue' | 'requestIntervalMs'> {
  readonly market: MarketClients;
  readonly redis: RedisConnection;
  /** QUEUE_PREFIX. */
  readonly prefix: string;
  readonly integrityKeys: KeySource;
  /** Called with saved requests that do not come from the bridge. */
  readonly onDiscarded: (discarded: readonly DiscardedValue[]) => void;
  readonly faults: Pick<ParticipantFaults, 'showBackfill'>;
  readonly metrics: ParticipantMetrics;
  readonly log: Logger;
}

/** Interval between checks for a new request of the command; more often with a short request interval. */
const CHECK_INTERVAL_MS = 5_000;
/** Events that a backfill left out are a fault for a day, or until another backfill is requested. */
const LEFT_OUT_LIFETIME_MS = 86_400_000;

/** Runs the backfill of one participant while this replica holds its lease: one request at a time, beside the polls. */
export class BackfillRunner {
  private readonly failures: FailureLog;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopping = new AbortController();
  private readonly dependencies: BackfillDependencies;

  constructor(private readonly options: BackfillRunnerOptions) {
    const { redis, prefix, participant, integrityKeys: keys, onDiscarded, market, metrics, log } = options;
    this.failures = new FailureLog(log);
    this.dependencies = {
      ...options,
      store: new BackfillStore({ redis, prefix, participant, keys, onDiscarded }),
      detections: new BackfillDetections(options),
      hasSpareRequest: (name: MarketInterface) => market.hasSpareRequest(name),
      onQueued: (type) => metrics.shared.backfilled.inc({ type }),
      onLeftOut: (leftOut) => this.reportLeftOut(leftOut),
    };
  }

  /** Checks for a request now and then regularly, until `stop`. */
  start(heldToken: () => FencingToken | undefined): void {
    const stopping = new AbortController();
    this.stopping = stopping;
    const check = (): void => {
      const token = heldToken();
      if (token === undefined) return;
      this.running ??= this.check(() => heldToken() === token, stopping.signal).finally(
        () => (this.running = undefined),
      );
    };
    check();
    clearInterval(this.timer);
    this.timer = setInterval(check, Math.min(CHECK_INTERVAL_MS, this.options.requestIntervalMs));
  }

  /** Ends after the request in flight. Another replica continues. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.running;
  }

  private reportSaved(leftOut: BackfillLeftOut | undefined): void {
    const isRecent = leftOut !== undefined && Date.now() - Date.parse(leftOut.at) < LEFT_OUT_LIFETIME_MS;
    this.reportLeftOut(isRecent ? leftOut.items : []);
  }

  private reportLeftOut(leftOut: readonly LeftOut[]): void {
    this.options.faults.showBackfill(describeLeftOut('backfill', leftOut));
  }

  private async check(mayContinue: () => boolean, signal: AbortSignal): Promise<void> {
    const { store } = this.dependencies;
    const { log } = this.options;
    try {
      const { request, progress } = await store.read();
      this.reportSaved(progress?.leftOut);
      if (request === undefined || request.isPaused || isFinished(request, progress)) return;
      const { from, to, dryRun } = request;
      log.info({ from, until: to, mode: dryRun ? 'list' : 'raise' }, 'backfill started');
      const run = new BackfillRun(request, progress, this.dependencies, mayContinue, signal);
      const ended = await run.run();
      const { failureCount: failures } = ended;
      log.info({ from, until: to, count: countEvents(ended), failures }, 'backfill completed');
      this.failures.succeeded('backfill');
    } catch (error) {
      if (error instanceof BackfillInterruptedError) log.info('backfill interrupted');
      else this.failures.failed('backfill', error);
    }
  }
}
