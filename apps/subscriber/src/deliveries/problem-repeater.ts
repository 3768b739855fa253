import { PeriodicTask } from '@ssb/net';
import type { Logger } from '@ssb/platform';
import type { StoredVerdict } from '../receiver/domain/verify-stored-event.js';
import type { Term } from '../replica/running-term.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import { describeOutcome } from './domain/delivery-policy.js';
import type { OpenProblem, OpenProblems } from './outbox/open-problems.js';
import type { ConfiguredSink } from './sinks/configured-sink.js';

export interface ProblemRepeaterOptions {
  readonly sink: ConfiguredSink;
  readonly term: Term;
  readonly problems: Pick<OpenProblems, 'read'>;
  readonly storedEvents: { verify(problem: OpenProblem): StoredVerdict };
  readonly metrics: Pick<SubscriberMetrics, 'deliveryAttempts'>;
  readonly log: Logger;
  readonly intervalMs?: number;
}

/** A receiver forgets a problem after five minutes. */
const INTERVAL_MS = 60_000;

/** Sends the open problems of one sink again and again, for a receiver that forgets them. Every replica does; a repeat is harmless. */
export class ProblemRepeater {
  private readonly task: PeriodicTask;

  constructor(private readonly options: ProblemRepeaterOptions) {
    const { sink, log, intervalMs = INTERVAL_MS } = options;
    this.task = new PeriodicTask(
      (stopping) => this.repeatAll(stopping),
      intervalMs,
      (err) => log.error({ err, sink: sink.name }, 'open problems could not be read'),
    );
    this.task.start();
  }

  async stop(): Promise<void> {
    await this.task.stop();
  }

  private async repeatAll(stopping: AbortSignal): Promise<void> {
    const { sink, term, problems, storedEvents, metrics, log } = this.options;
    const signal = AbortSignal.any([stopping, term.ended]);
    let after = '';
    while (!signal.aborted) {
      const page = await problems.read(sink.name, after);
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.problemId;
      const verified = page.filter((problem) => storedEvents.verify(problem).ok);
      if (verified.length === 0) continue;
      const outcome = await sink.repeat(verified, signal);
      if (signal.aborted) return;
      metrics.deliveryAttempts.inc({ sink: sink.name, outcome: outcome.kind });
      if (outcome.kind === 'delivered') continue;
      log.warn({ sink: sink.name, outcome: describeOutcome(outcome) }, 'open problems not repeated');
      return;
    }
  }
}
