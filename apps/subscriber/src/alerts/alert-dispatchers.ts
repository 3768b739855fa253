import type { ClientConnection } from '@ssb/net';
import type { OperatorConfig } from '@ssb/config';
import type { Logger } from '@ssb/platform';
import type { Term } from '../replica/term.js';
import type { Settings } from '../settings.js';
import type { AlertOutbox } from '../storage/alert-outbox.js';
import type { ParkedDeliveries } from '../storage/parked-deliveries.js';
import type { SinkStates } from '../storage/sink-states.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import { AlertDelivery, type StoredEvents } from './alert-delivery.js';
import { AlertDispatcher } from './alert-dispatcher.js';
import type { AlertSink } from './alert-sink.js';
import { createSinks } from './create-sinks.js';

export interface AlertDispatchersOptions {
  readonly settings: Settings;
  readonly config: OperatorConfig;
  readonly webhookConnection: ClientConnection;
  readonly outbox: AlertOutbox;
  readonly parked: ParkedDeliveries;
  readonly states: SinkStates;
  readonly storedEvents: StoredEvents;
  readonly metrics: SubscriberMetrics;
  readonly log: Logger;
  /** Called when the database refuses a write because the term has ended. */
  readonly onLeaseLost: (term: Term) => void;
}

/** Creates a dispatcher for each term, with the sinks of the present configuration. */
export class AlertDispatchers {
  private sinks: readonly AlertSink[];
  private readonly delivery: AlertDelivery;

  constructor(private readonly options: AlertDispatchersOptions) {
    const { settings, config, metrics, log } = options;
    this.sinks = this.openSinks(config);
    const backoff = { baseMs: settings.ALERT_RETRY_BASE_MS, maxMs: settings.ALERT_RETRY_CAP_MS };
    this.delivery = new AlertDelivery(backoff, options.storedEvents, metrics, log);
  }

  get current(): readonly AlertSink[] {
    return this.sinks;
  }

  get sinkNames(): readonly string[] {
    return this.sinks.map(({ name }) => name);
  }

  create(term: Term): AlertDispatcher {
    const { settings, outbox, parked, states, metrics, log, onLeaseLost } = this.options;
    return new AlertDispatcher(this.sinks, term, {
      outbox,
      parked,
      states,
      delivery: this.delivery,
      metrics,
      log,
      concurrency: settings.ALERT_CONCURRENCY,
      onStorageFailure: (err, failures, waitMs) => {
        metrics.storageFailures.inc();
        log.error({ err, attempt: failures, waitMs }, 'alert outbox access failed');
      },
      onLeaseLost: () => onLeaseLost(term),
    });
  }

  /** Uses the sinks of this configuration from now on. @returns closes the previous ones, after their dispatcher was stopped */
  replaceSinks(config: OperatorConfig): () => Promise<void> {
    const previous = this.sinks;
    this.sinks = this.openSinks(config);
    this.options.metrics.showSinks(this.sinkNames);
    return () => closeAll(previous);
  }

  async close(): Promise<void> {
    await closeAll(this.sinks);
  }

  private openSinks(config: OperatorConfig): readonly AlertSink[] {
    const { settings, webhookConnection } = this.options;
    return createSinks(config, settings, {
      timeoutMs: settings.ALERT_TIMEOUT_MS,
      responseLimitBytes: settings.ALERT_RESPONSE_LIMIT_BYTES,
      // One more for parked deliveries.
      connections: settings.ALERT_CONCURRENCY + 1,
      connection: webhookConnection,
    });
  }
}

async function closeAll(sinks: readonly AlertSink[]): Promise<void> {
  await Promise.all(sinks.map((sink) => sink.close()));
}
