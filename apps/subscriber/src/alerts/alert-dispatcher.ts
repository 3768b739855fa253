import type { AlertOutbox } from '../storage/outbox.port.js';
import type { AlertSink } from './alert-sink.port.js';
import type { Attempt } from './attempt.js';
import { SinkLane, type LaneOptions } from './sink-lane.js';

/** Hands archived events to the sinks: one lane a sink. Rows for a sink that is no longer configured stay in the outbox. */
export class AlertDispatcher {
  private readonly lanes: readonly SinkLane[];

  constructor(sinks: readonly AlertSink[], outbox: AlertOutbox, attempt: Attempt, options: LaneOptions) {
    this.lanes = sinks.map((sink) => new SinkLane(sink, outbox, attempt, options));
  }

  /** Something was committed, or the process has just started and takes up what was pending. */
  wake(): void {
    for (const lane of this.lanes) lane.wake();
  }

  /** @param drainMs how long attempts under way may take before they are broken off */
  async stop(drainMs: number): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.stop(drainMs)));
  }
}
