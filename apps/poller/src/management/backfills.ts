import { Inject, Injectable } from '@nestjs/common';
import { OperatorConfigFile } from '@ssb/config';
import type { KeyRingFile } from '@ssb/keys';
import { InvalidRequestError, LOGGER, ProblemException, SETTINGS, type Logger } from '@ssb/platform';
import {
  BackfillStore,
  countEvents,
  findRangeProblem,
  marketDateOf,
  QueueFaultReporting,
  startBackfill,
  type BackfillFailure,
  type BackfillRange,
  type BackfillStart,
  type ListedEvent,
  type RedisConnection,
} from '@ssb/redis-queue';
import { listPolledCodes } from '../participants/plan-participants.js';
import { INTEGRITY_KEYS, REDIS } from '../redis.js';
import type { Settings } from '../settings.js';

/** A backfill of one participant, and how far it is. */
export interface BackfillState extends BackfillRange {
  /** `requested`: the poller that polls the participant has not begun. */
  readonly state: 'requested' | 'running' | 'paused' | 'done';
  readonly stepsDone: number;
  readonly stepsTotal?: number;
  /** Events raised or listed. */
  readonly events: number;
  readonly types: readonly { readonly type: string; readonly events: number }[];
  readonly failureCount: number;
  /** The first ones. */
  readonly failures: readonly BackfillFailure[];
  readonly waitingFor?: string;
  readonly startedAt?: string;
  readonly updatedAt?: string;
}

/** Failures that are shown; `failureCount` counts all. */
const MAX_SHOWN_FAILURES = 20;

/** The backfills of all participants. The poller that holds the lease of a participant carries its backfill out. */
@Injectable()
export class Backfills {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(INTEGRITY_KEYS) private readonly keys: KeyRingFile,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly config: OperatorConfigFile,
    private readonly faultReporting: QueueFaultReporting,
  ) {}

  async list(): Promise<readonly BackfillState[]> {
    const found = await Promise.all(this.codes().map((code) => this.find(code)));
    return found.filter((each) => each !== undefined);
  }

  /** @throws InvalidRequestError, ProblemException 409 while another range of the participant is not complete */
  async start(
    range: Omit<BackfillRange, 'to'> & { readonly to?: string | undefined },
    now = new Date(),
  ): Promise<{ readonly outcome: BackfillStart['outcome']; readonly backfill: BackfillState }> {
    const { participant, from, to = marketDateOf(now), dryRun } = range;
    this.assertPolled(participant);
    const problem = findRangeProblem({ from, to }, now);
    if (problem !== undefined) throw new InvalidRequestError([{ path: 'from', message: problem }]);
    const isUntilToday = range.to === undefined;
    const start = await startBackfill(
      this.open(participant),
      { participant, from, to, dryRun },
      isUntilToday,
    );
    if (start.outcome === 'refused')
      throw new ProblemException(
        409,
        'Conflict',
        `The backfill of ${participant} from ${start.other.from} to ${start.other.to}${start.other.dryRun ? ', a dry run,' : ''} is not complete. Wait for its end, or cancel it.`,
      );
    this.log.info({ participant, from, until: start.request.to, mode: start.outcome }, 'backfill requested');
    const backfill = await this.find(participant);
    if (backfill === undefined)
      throw new ProblemException(409, 'Conflict', 'The backfill was cancelled meanwhile.');
    return { outcome: start.outcome, backfill };
  }

  /** @throws ProblemException 404 */
  async read(participant: string): Promise<BackfillState> {
    const found = this.codes().includes(participant) ? await this.find(participant) : undefined;
    if (found === undefined) throw new ProblemException(404, 'Not found', 'The participant has no backfill.');
    return found;
  }

  /** A page of the events that a dry run has listed. @throws ProblemException 404 */
  async listed(
    participant: string,
    { limit, cursor: start }: { readonly limit: number; readonly cursor: number },
  ): Promise<{ readonly items: readonly ListedEvent[]; readonly next?: string }> {
    await this.read(participant);
    const { items, next } = await this.open(participant).listed(start, limit);
    return { items, ...(next !== undefined && { next: String(next) }) };
  }

  /**
   * Ends the backfill of a participant. Events that are queued are still published.
   * @returns what it was
   * @throws ProblemException 404, 409 when it is complete: its removal would remove the result
   */
  async cancel(participant: string): Promise<BackfillState> {
    const found = await this.read(participant);
    if (!(await this.open(participant).cancel()))
      throw new ProblemException(
        409,
        'Conflict',
        `The backfill of ${participant} from ${found.from} to ${found.to} has already ended. Its result is kept for 30 days, or until the next backfill starts.`,
      );
    this.log.info({ participant, from: found.from, until: found.to }, 'backfill cancelled');
    return found;
  }

  private async find(participant: string): Promise<BackfillState | undefined> {
    const { request, progress } = await this.open(participant).read();
    if (request === undefined) return undefined;
    const { from, to, dryRun, isPaused } = request;
    return {
      participant,
      from,
      to,
      dryRun,
      state: progress?.state === 'done' ? 'done' : isPaused ? 'paused' : progress ? 'running' : 'requested',
      stepsDone: progress?.stepsDone ?? 0,
      ...(progress?.stepsTotal !== undefined && { stepsTotal: progress.stepsTotal }),
      events: progress === undefined ? 0 : countEvents(progress),
      types: Object.entries(progress?.events ?? {}).map(([type, events]) => ({ type, events })),
      failureCount: progress?.failureCount ?? 0,
      failures: progress?.failures.slice(0, MAX_SHOWN_FAILURES) ?? [],
      ...(progress?.waitingFor !== undefined && { waitingFor: progress.waitingFor }),
      ...(progress !== undefined && { startedAt: progress.startedAt, updatedAt: progress.updatedAt }),
    };
  }

  private open(participant: string): BackfillStore {
    const { redis, keys, faultReporting } = this;
    return new BackfillStore({
      redis,
      prefix: this.settings.QUEUE_PREFIX,
      participant,
      keys,
      onDiscarded: (discarded) => faultReporting.discardedState.report('backfill', participant, discarded),
    });
  }

  private assertPolled(participant: string): void {
    if (this.codes().includes(participant)) return;
    throw new InvalidRequestError([
      { path: 'participant', message: 'participant must be a participant of CONFIG_FILE that is polled' },
    ]);
  }

  private codes(): readonly string[] {
    return listPolledCodes(this.settings, this.config.current());
  }
}
