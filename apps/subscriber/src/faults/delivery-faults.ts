import type { Database } from '@ssb/postgres';
import { ALL_PARTICIPANTS } from '@ssb/events';
import type { FaultReporter } from '@ssb/faults';
import { PeriodicTask } from '@ssb/net';
import type { ParkedDeliveries, ParkedSummary } from '../deliveries/outbox/parked-deliveries.js';
import type { DisabledSink, FailingSink, SinkStates } from '../deliveries/outbox/sink-states.js';
import { listLastingTopics } from './fault-table.js';

type Topic = Parameters<FaultReporter['clear']>[0];
type Fault = Parameters<FaultReporter['raise']>[0];

export interface DeliveryFaultsOptions {
  readonly database: Database;
  readonly states: SinkStates;
  readonly parked: ParkedDeliveries;
  readonly faults: Pick<FaultReporter, 'raise' | 'clear'>;
  /** Names of the sinks in use. */
  readonly sinks: () => readonly string[];
  /** Called with the sinks that have parked deliveries. */
  readonly onParked: (sinks: ReadonlySet<string>) => void;
  /** How long a sink fails before it is reported. Default 30 s: receivers restart. */
  readonly failingAfterMs?: number;
  readonly intervalMs?: number;
  readonly onStorageFailure: (error: unknown) => void;
}

const FAILING_AFTER_MS = 30_000;
const INTERVAL_MS = 5_000;

/** Reports sinks that accept nothing or are disabled, and refused deliveries, until they end. Every replica does, because all of them read the same tables. */
export class DeliveryFaults {
  private readonly task: PeriodicTask;
  /** Faults that this replica has raised, by sink and event type. */
  private readonly raised = new Map<string, Topic>();

  constructor(private readonly options: DeliveryFaultsOptions) {
    const { intervalMs = INTERVAL_MS, onStorageFailure } = options;
    this.task = new PeriodicTask((stopping) => this.check(stopping), intervalMs, onStorageFailure);
  }

  start(): void {
    this.task.start();
  }

  /** Leaves the faults to other replicas. */
  async stop(): Promise<void> {
    await this.task.stop();
  }

  private async check(stopping: AbortSignal): Promise<void> {
    const {
      database,
      states,
      parked,
      faults,
      sinks,
      onParked,
      failingAfterMs = FAILING_AFTER_MS,
    } = this.options;
    await states.forgetIdle();
    const failing = await states.listFailing();
    const disabled = await states.listDisabled();
    const refused = await parked.summarise();
    const lasting = await listLastingTopics(database);
    if (stopping.aborted) return;
    onParked(new Set(refused.map(({ sink }) => sink)));
    const inUse = new Set(sinks());
    const current = [
      ...failing.filter(({ seconds }) => seconds * 1_000 >= failingAfterMs).map(describeFailing),
      ...disabled.map(describeDisabled),
      ...refused.map(describeRefused),
    ].filter(({ interface: sink }) => sink !== undefined && inUse.has(sink));
    for (const fault of current) faults.raise(fault);
    const keys = new Set(current.map(toKey));
    const former = [...this.raised.values(), ...lasting].filter(
      (topic) => REASONS.includes(topic.reason) && !keys.has(toKey(topic)),
    );
    for (const { reason, participant, interface: sink, document } of former) {
      faults.clear({
        reason,
        participant,
        ...(sink !== undefined && { interface: sink }),
        ...(document !== undefined && { document }),
      });
    }
    this.raised.clear();
    for (const fault of current) this.raised.set(toKey(fault), fault);
  }
}

const REASONS: readonly string[] = ['sink-failing', 'sink-disabled', 'delivery-refused'];

function describeFailing({ sink, seconds, lastOutcome }: FailingSink): Fault {
  return {
    reason: 'sink-failing',
    participant: ALL_PARTICIPANTS,
    interface: sink,
    detail: `The sink ${sink} has accepted no delivery for ${Math.round(seconds)} s: ${lastOutcome}.`,
  };
}

function describeDisabled({ sink, since, by, reason }: DisabledSink): Fault {
  const why = reason === null ? '' : `: ${reason}`;
  return {
    reason: 'sink-disabled',
    participant: ALL_PARTICIPANTS,
    interface: sink,
    detail: `The sink ${sink} is disabled since ${since.toISOString()} by ${by}${why}`,
  };
}

function describeRefused({ sink, type, count, subject, lastOutcome }: ParkedSummary): Fault {
  return {
    reason: 'delivery-refused',
    participant: ALL_PARTICIPANTS,
    interface: sink,
    document: type,
    detail: `Deliveries of ${type} to the sink ${sink} that are parked: ${count}; the last one, of ${subject}: ${lastOutcome}.`,
  };
}

function toKey({ reason, interface: sink = '', document = '' }: Topic): string {
  return [reason, sink, document].join(' ');
}
