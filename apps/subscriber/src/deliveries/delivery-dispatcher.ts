import type { ClientConnection } from '@ssb/net';
import type { OperatorConfig } from '@ssb/config';
import type { Logger } from '@ssb/platform';
import type { Term } from '../replica/running-term.js';
import type { Settings } from '../settings.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import { createSinks } from './create-sinks.js';
import { Deliverer, type StoredEvents } from './deliverer.js';
import type { DeliveryOutbox } from './outbox/delivery-outbox.js';
import type { ParkedDeliveries } from './outbox/parked-deliveries.js';
import type { SinkStates } from './outbox/sink-states.js';
import type { Sink } from './sink.js';
import { SinkWorker } from './sink-worker.js';

type DeliverySettings = Pick<Settings, keyof Settings & (`ALERT_${string}` | `OPERATIONS_WEBHOOK_${string}`)>;

export interface DeliveryDispatcherOptions {
  readonly settings: DeliverySettings;
  readonly config: Pick<OperatorConfig, 'alerts'>;
  readonly webhookConnection: ClientConnection;
  readonly outbox: DeliveryOutbox;
  readonly parked: ParkedDeliveries;
  readonly states: SinkStates;
  readonly storedEvents: StoredEvents;
  readonly metrics: SubscriberMetrics;
  readonly log: Logger;
  /** Called when the database refuses a write because the term has ended. */
  readonly onLeaseLost: (term: Term) => void;
}

interface TermWorkers {
  readonly term: Term;
  readonly workers: readonly SinkWorker[];
}

/** Delivers what the outbox holds, with one worker for each sink during a term. Deliveries to a removed sink stay in the outbox. */
export class DeliveryDispatcher {
  private currentSinks: readonly Sink[];
  private readonly deliverer: Deliverer;
  private running: TermWorkers | undefined;

  constructor(private readonly options: DeliveryDispatcherOptions) {
    const { settings, config, storedEvents, metrics, log } = options;
    this.currentSinks = this.openSinks(config);
    const backoff = { baseMs: settings.ALERT_RETRY_BASE_MS, maxMs: settings.ALERT_RETRY_CAP_MS };
    this.deliverer = new Deliverer(backoff, storedEvents, metrics, log);
  }

  get sinks(): readonly Sink[] {
    return this.currentSinks;
  }

  start(term: Term): void {
    const workers = this.currentSinks.map((sink) => this.createWorker(sink, term));
    this.running = { term, workers };
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
    const { workers } = this;
    this.running = undefined;
    await stopAll(workers, drainMs);
  }

  openSinks(config: Pick<OperatorConfig, 'alerts'>): readonly Sink[] {
    const { settings, webhookConnection } = this.options;
    return createSinks(config, settings, {
      timeoutMs: settings.ALERT_TIMEOUT_MS,
      responseLimitBytes: settings.ALERT_RESPONSE_LIMIT_BYTES,
      // One more for parked deliveries.
      connections: settings.ALERT_CONCURRENCY + 1,
      connection: webhookConnection,
    });
  }

  /** Delivers to these sinks once the attempts to the previous ones have ended. */
  async replaceSinks(sinks: readonly Sink[], drainMs: number): Promise<void> {
    const { running } = this;
    const previous = this.currentSinks;
    this.currentSinks = sinks;
    this.options.metrics.showSinks(sinks.map(({ name }) => name));
    try {
      await stopAll(this.workers, drainMs);
    } finally {
      if (running !== undefined && running === this.running) this.start(running.term);
      await closeAll(previous);
    }
  }

  async close(): Promise<void> {
    await closeAll(this.currentSinks);
  }

  private get workers(): readonly SinkWorker[] {
    return this.running?.workers ?? [];
  }

  private createWorker(sink: Sink, term: Term): SinkWorker {
    const { settings, outbox, parked, states, metrics, log, onLeaseLost } = this.options;
    return new SinkWorker(sink, term, {
      outbox,
      parked,
      states,
      deliverer: this.deliverer,
      metrics,
      log,
      concurrency: settings.ALERT_CONCURRENCY,
      onStorageFailure: (err, failures, waitMs) => {
        metrics.storageFailures.inc();
        log.error({ err, attempt: failures, waitMs }, 'delivery outbox access failed');
      },
      onLeaseLost: () => onLeaseLost(term),
    });
  }
}

async function stopAll(workers: readonly SinkWorker[], drainMs: number): Promise<void> {
  await Promise.all(workers.map((worker) => worker.stop(drainMs)));
}

async function closeAll(sinks: readonly Sink[]): Promise<void> {
  await Promise.all(sinks.map((sink) => sink.close()));
}
