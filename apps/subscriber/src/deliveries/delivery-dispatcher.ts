import { Inject, Injectable } from '@nestjs/common';
import type { OperatorConfig } from '@ssb/config';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { ConfigInUse } from '../configuration/config-in-use.js';
import { StoredEventVerifier } from '../receiver/stored-event-verifier.js';
import type { Term } from '../replica/running-term.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { Deliverer, type StoredEvents } from './deliverer.js';
import { DeliveryOutbox } from './outbox/delivery-outbox.js';
import { OpenProblems } from './outbox/open-problems.js';
import { ParkedDeliveries } from './outbox/parked-deliveries.js';
import { ProblemRepeater } from './problem-repeater.js';
import { SinkStates } from './outbox/sink-states.js';
import type { ConfiguredSink } from './sinks/configured-sink.js';
import { SinkFactory, type SinkSettings } from './sinks/sink-factory.js';
import { SinkWorker, type SinkWorkerOptions } from './sink-worker.js';

interface TermWorkers {
  readonly term: Term;
  readonly workers: readonly SinkWorker[];
  readonly repeaters: readonly ProblemRepeater[];
}

/** Delivers what the outbox holds, with one worker for each sink during a term. Deliveries to a removed sink stay in the outbox. */
@Injectable()
export class DeliveryDispatcher {
  private currentSinks: readonly ConfiguredSink[];
  private readonly workerOptions: SinkWorkerOptions;
  private running: TermWorkers | undefined;

  constructor(
    @Inject(SETTINGS) settings: SinkSettings,
    @Inject(ConfigInUse) config: { current(): Pick<OperatorConfig, 'alerts'> },
    private readonly factory: SinkFactory,
    outbox: DeliveryOutbox,
    parked: ParkedDeliveries,
    states: SinkStates,
    @Inject(OpenProblems) private readonly problems: Pick<OpenProblems, 'read'>,
    @Inject(StoredEventVerifier) private readonly storedEvents: StoredEvents,
    private readonly metrics: SubscriberMetrics,
    @Inject(LOGGER) log: Logger,
  ) {
    this.currentSinks = this.openSinks(config.current());
    const backoff = { baseMs: settings.ALERT_RETRY_BASE_MS, maxMs: settings.ALERT_RETRY_CAP_MS };
    this.workerOptions = {
      deliverer: new Deliverer(backoff, storedEvents, metrics, log),
      concurrency: settings.ALERT_CONCURRENCY,
      outbox,
      parked,
      states,
      metrics,
      log,
      onStorageFailure: (err, failures, waitMs) => {
        metrics.storageFailures.inc();
        log.error({ err, attempt: failures, waitMs }, 'delivery outbox access failed');
      },
    };
  }

  get sinks(): readonly ConfiguredSink[] {
    return this.currentSinks;
  }

  start(term: Term): void {
    const workers = this.currentSinks.map((sink) => new SinkWorker(sink, term, this.workerOptions));
    this.running = { term, workers, repeaters: this.startRepeaters(term) };
    this.wake();
  }

  /** Checks for due deliveries now. Call it after a commit, and when another replica may have released subjects. */
  wake(): void {
    for (const worker of this.workers) worker.wake();
  }

  /** These sinks have parked deliveries. */
  noteParked(sinks: ReadonlySet<string>): void {
    for (const worker of this.workers) if (sinks.has(worker.sinkName)) worker.noteParked();
  }

  /** Ends the work of the term. @param drainMs time for attempts in flight before they are aborted */
  async stop(drainMs: number): Promise<void> {
    const { running } = this;
    this.running = undefined;
    await stopAll(running, drainMs);
  }

  openSinks(config: Pick<OperatorConfig, 'alerts'>): readonly ConfiguredSink[] {
    return this.factory.openAll(config);
  }

  /** Delivers to these sinks once the attempts to the previous ones have ended. */
  async replaceSinks(sinks: readonly ConfiguredSink[], drainMs: number): Promise<void> {
    const { running } = this;
    const previous = this.currentSinks;
    this.currentSinks = sinks;
    this.metrics.showSinks(sinks.map(({ name }) => name));
    try {
      await stopAll(running, drainMs);
    } finally {
      if (running !== undefined && running === this.running) this.start(running.term);
      await closeAll(previous);
    }
  }

  async close(): Promise<void> {
    await closeAll(this.currentSinks);
  }

  private startRepeaters(term: Term): ProblemRepeater[] {
    const { problems, storedEvents, metrics, workerOptions } = this;
    const { log } = workerOptions;
    return this.currentSinks
      .filter(({ mustRepeat }) => mustRepeat)
      .map((sink) => new ProblemRepeater({ sink, term, problems, storedEvents, metrics, log }));
  }

  private get workers(): readonly SinkWorker[] {
    return this.running?.workers ?? [];
  }
}

async function stopAll(running: TermWorkers | undefined, drainMs: number): Promise<void> {
  const { workers = [], repeaters = [] } = running ?? {};
  await Promise.all([
    ...workers.map((worker) => worker.stop(drainMs)),
    ...repeaters.map((repeater) => repeater.stop()),
  ]);
}

async function closeAll(sinks: readonly ConfiguredSink[]): Promise<void> {
  await Promise.all(sinks.map((sink) => sink.close()));
}
