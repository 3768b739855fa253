import { ALL_PARTICIPANTS } from '@ssb/events';
import { UnusableFilesFault, type FaultReporter } from '@ssb/faults';
import { PeriodicTask } from '@ssb/net';
import type { ConfiguredSink } from '../deliveries/sinks/configured-sink.js';

const INTERVAL_MS = 5_000;

export interface SinkFileFaultsOptions {
  readonly faults: Pick<FaultReporter, 'raise' | 'clear' | 'forget'>;
  /** The sinks in use. */
  readonly sinks: () => readonly Pick<ConfiguredSink, 'name' | 'fileProblems' | 'isUsable'>[];
  readonly intervalMs?: number | undefined;
  readonly onFailure: (error: unknown) => void;
}

/** Reports the files of sinks that cannot be used. Each replica reports its own files. */
export class SinkFileFaults {
  private readonly bySink = new Map<string, UnusableFilesFault>();
  private readonly task: PeriodicTask;

  constructor(private readonly options: SinkFileFaultsOptions) {
    const { intervalMs = INTERVAL_MS, onFailure } = options;
    this.task = new PeriodicTask(async () => this.check(), intervalMs, onFailure);
  }

  start(): void {
    this.task.start();
  }

  async stop(): Promise<void> {
    await this.task.stop();
  }

  private check(): void {
    const sinks = this.options.sinks();
    for (const { name, fileProblems, isUsable } of sinks) {
      const about = { participant: ALL_PARTICIPANTS, interface: name };
      const fault = this.bySink.get(name) ?? new UnusableFilesFault(about, this.options.faults);
      this.bySink.set(name, fault);
      fault.report(fileProblems, isUsable);
    }
    const names = new Set(sinks.map(({ name }) => name));
    for (const [name, fault] of this.bySink) {
      if (names.has(name)) continue;
      fault.forget();
      this.bySink.delete(name);
    }
  }
}
