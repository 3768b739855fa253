import type { Term } from '../replica/replica-lease.js';
import type { AlertOutbox } from '../storage/alert-outbox.js';
import type { AlertSink } from './alert-sink.js';
import type { Attempt } from './delivery-attempt.js';
import { SinkWorker, type SinkWorkerOptions } from './sink-worker.js';

/** Delivers archived events to the sinks during one term: one worker a sink. Alerts for a sink that is not configured stay in the outbox. */
export class AlertDispatcher {
  private readonly workers: readonly SinkWorker[];

  constructor(
    sinks: readonly AlertSink[],
    term: Term,
    outbox: AlertOutbox,
    attempt: Attempt,
    options: SinkWorkerOptions,
  ) {
    this.workers = sinks.map((sink) => new SinkWorker(sink, term, outbox, attempt, options));
  }

  /** Alerts were committed, or may be free. */
  wake(): void {
    for (const worker of this.workers) worker.wake();
  }

  /** @param drainMs how long attempts in flight may take before they are broken off */
  async stop(drainMs: number): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop(drainMs)));
  }
}
