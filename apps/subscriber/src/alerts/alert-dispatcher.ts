import type { Term } from '../replica/term.js';
import type { AlertSink } from './alert-sink.js';
import { SinkWorker, type SinkWorkerOptions } from './sink-worker.js';

/** Delivers alerts from the outbox with one worker per sink, while the term of this replica is active. Alerts for a removed sink stay in the outbox. */
export class AlertDispatcher {
  private readonly workers: readonly SinkWorker[];

  constructor(sinks: readonly AlertSink[], term: Term, options: SinkWorkerOptions) {
    this.workers = sinks.map((sink) => new SinkWorker(sink, term, options));
  }

  /** Checks for due alerts now. Call it after a commit, and when another replica may have released subjects. */
  wake(): void {
    for (const worker of this.workers) worker.wake();
  }

  /** These sinks have parked deliveries. */
  noteParked(sinks: ReadonlySet<string>): void {
    for (const worker of this.workers) if (sinks.has(worker.sinkName)) worker.noteParked();
  }

  /** @param drainMs time for attempts in flight before they are aborted */
  async stop(drainMs: number): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop(drainMs)));
  }
}
