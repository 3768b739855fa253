import type { Database } from '@ssb/postgres';
import { MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import type { FaultReporter } from '@ssb/faults';
import { listChannels, type OperatorConfig } from '@ssb/config';
import type { Logger } from '@ssb/platform';
import { PeriodicTask } from '@ssb/net';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import { evaluateHeartbeats, isAlive, type HeartbeatLimits } from './domain/evaluate-heartbeats.js';
import { evaluatePolls, newestOf } from './domain/evaluate-polls.js';
import type { HeartbeatAge, ReceivedHeartbeat } from './domain/heartbeat.js';
import { deleteOldHeartbeats, listHeartbeats } from './heartbeat-table.js';

export interface HeartbeatMonitorOptions {
  readonly database: Database;
  readonly config: OperatorConfig;
  /** HEARTBEAT_TIMEOUT_MS. */
  readonly timeoutMs: number;
  readonly faults: Pick<FaultReporter, 'raise' | 'clear' | 'forget'>;
  /** Whether the stream of the gateway is connected. */
  readonly isConnected: () => boolean;
  readonly now: () => Date;
  readonly metrics: SubscriberMetrics;
  readonly log: Logger;
}

/** Clocks that differ by more raise an alert of their own. */
const CLOCK_TOLERANCE_MS = 30_000;
const MAX_EVALUATION_INTERVAL_MS = 15_000;
const EVALUATIONS_PER_TIMEOUT = 6;
const DELETION_INTERVAL_MS = 3_600_000;

type HeartbeatFault = Parameters<FaultReporter['clear']>[0];

/** Raises and clears the alerts about heartbeats, and deletes old heartbeats, while this replica reads the channels. */
export class HeartbeatMonitor {
  private readonly startedAt = performance.now();
  private readonly participants: readonly string[];
  private readonly channels: readonly string[];
  private readonly limits: HeartbeatLimits;
  private readonly tasks: readonly PeriodicTask[];
  private heartbeats: readonly ReceivedHeartbeat[] = [];
  /** By participant: since when heartbeats name no successful poll of an interface. */
  private readonly absentSince = new Map<string, Map<MarketInterface, Date>>();

  constructor(private readonly options: HeartbeatMonitorOptions) {
    const { database, config, timeoutMs, metrics, log } = options;
    this.participants = config.participants.map(({ code }) => code);
    this.channels = listChannels(config);
    this.limits = { timeoutMs, clockToleranceMs: CLOCK_TOLERANCE_MS };
    const onStorageFailure = (err: unknown): void => {
      metrics.storageFailures.inc();
      log.error({ err }, 'heartbeat access failed');
    };
    const intervalMs = Math.min(timeoutMs / EVALUATIONS_PER_TIMEOUT, MAX_EVALUATION_INTERVAL_MS);
    this.tasks = [
      new PeriodicTask((signal) => this.evaluate(signal), intervalMs, onStorageFailure),
      new PeriodicTask(
        (signal) => deleteOldHeartbeats(database, signal),
        DELETION_INTERVAL_MS,
        onStorageFailure,
      ),
    ];
  }

  start(): void {
    for (const task of this.tasks) task.start();
  }

  /** Leaves the faults to the next replica that reads the channels. */
  async stop(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
    for (const participant of this.participants) {
      this.options.faults.forget(dataFault(participant));
      for (const channel of this.channels) this.options.faults.forget(heartbeatFault(participant, channel));
    }
  }

  /** Age of the newest heartbeat by its own time; without one, how long this replica has waited for it. */
  ages(now: Date): HeartbeatAge[] {
    return this.participants.flatMap((participant) =>
      this.channels.map((channel) => {
        const newest = this.heartbeats.find(
          (each) => each.participant === participant && each.channel === channel,
        );
        const seconds = (now.getTime() - (newest?.at ?? this.readingSince(now)).getTime()) / 1_000;
        return { participant, channel, seconds };
      }),
    );
  }

  /** Whether the newest heartbeat of any participant is not old. */
  isAnyAlive(now: Date): boolean {
    return this.heartbeats.some((each) => isAlive(each, now, this.limits));
  }

  private async evaluate(stopping: AbortSignal): Promise<void> {
    const heartbeats = await listHeartbeats(this.options.database);
    if (stopping.aborted) return;
    this.heartbeats = heartbeats;
    const now = this.options.now();
    this.reportMissing(now);
    for (const participant of this.participants) this.reportOldData(participant, now);
  }

  private reportMissing(now: Date): void {
    const { faults, isConnected } = this.options;
    const context = { now, readingSince: this.readingSince(now), connected: isConnected() };
    const { participants, channels, heartbeats, limits } = this;
    for (const verdict of evaluateHeartbeats(participants, channels, heartbeats, context, limits)) {
      const fault = heartbeatFault(verdict.participant, verdict.channel);
      if (verdict.status === 'missing') faults.raise({ ...fault, detail: verdict.detail });
      else if (verdict.status === 'alive') faults.clear(fault);
    }
  }

  /** A clock that is set moves the start as well. */
  private readingSince(now: Date): Date {
    return new Date(now.getTime() - (performance.now() - this.startedAt));
  }

  private reportOldData(participant: string, now: Date): void {
    const alive = this.heartbeats.filter(
      (each) => each.participant === participant && isAlive(each, now, this.limits),
    );
    const { status, detail } = evaluatePolls(alive, this.noteAbsentPolls(participant, alive));
    if (status === 'old') this.options.faults.raise({ ...dataFault(participant), detail });
    else if (status === 'current') this.options.faults.clear(dataFault(participant));
  }

  private noteAbsentPolls(
    participant: string,
    alive: readonly ReceivedHeartbeat[],
  ): ReadonlyMap<MarketInterface, Date> {
    const previous = this.absentSince.get(participant);
    const newest = newestOf(alive);
    if (newest === undefined) return previous ?? new Map();
    const absent = MARKET_INTERFACES.filter((name) => newest.polls[name].ageMs === undefined);
    const since = new Map(absent.map((name) => [name, previous?.get(name) ?? newest.at]));
    this.absentSince.set(participant, since);
    return since;
  }
}

function heartbeatFault(participant: string, channel: string): HeartbeatFault {
  return { reason: 'heartbeat-missing', participant, channel };
}

/** Without a channel, so that several channels do not make several alerts. */
function dataFault(participant: string): HeartbeatFault {
  return { reason: 'operator-data-old', participant };
}
