import { GatewayStream, type StreamState } from '@ssb/bus';
import type { Database } from '@ssb/database';
import type { OperatorConfig } from '@ssb/operator-config';
import type { Logger, Metrics, Readiness } from '@ssb/platform';
import { AlertDispatcher } from './alerts/alert-dispatcher.js';
import { createAttempt } from './alerts/attempt.js';
import { buildSinks } from './alerts/build-sinks.js';
import { Intake } from './intake/intake.js';
import { Receive } from './receive.js';
import type { Settings } from './settings.js';
import { SqlArchive } from './storage/sql-archive.js';
import { SqlOutbox } from './storage/sql-outbox.js';
import { SubscriberMetrics } from './subscriber-metrics.js';

export interface SubscriberParts {
  readonly settings: Settings;
  readonly config: OperatorConfig;
  readonly database: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
}

/** Share of the shutdown that attempts under way may take before they are broken off. */
const DRAIN_SHARE = 0.5;

/** The parts of the subscriber, put together: stream → intake → receive → archive; outbox → dispatcher → sinks. */
export class Subscriber {
  private readonly stream: GatewayStream;
  private readonly intake: Intake;
  private readonly dispatcher: AlertDispatcher;
  private readonly stopping = new AbortController();
  private state: StreamState = { state: 'stopped' };

  constructor(private readonly parts: SubscriberParts) {
    const { settings, database } = parts;
    const counts = new SubscriberMetrics(parts.metrics);
    const outbox = new SqlOutbox(database);
    this.dispatcher = this.createDispatcher(counts, outbox);
    const receive = this.createReceive(counts);
    this.intake = new Intake((messages) => receive.group(messages), settings.WINDOW);
    this.stream = new GatewayStream({
      url: settings.GATEWAY_URL,
      username: settings.GATEWAY_USERNAME,
      password: settings.GATEWAY_PASSWORD,
      protocol: settings.GATEWAY_EVENTS_PROTOCOL,
      clientId: settings.CLIENT_ID,
      window: settings.WINDOW,
      onMessages: (batch, acknowledge) => this.intake.offer(batch, acknowledge),
      onState: (state) => this.noteState(state),
      // What was missed is on no channel any more: somebody has to ask its sender.
      onGap: (missed) => {
        counts.gaps.inc();
        parts.log.error(missed, 'messages were removed from the bus before they were received');
      },
    });
    counts.observe({
      outbox,
      sinks: parts.config.alerts.sinks.map(({ name }) => name),
      connected: () => this.connected,
      held: () => this.intake.size,
    });
    parts.readiness.register('gateway stream', () => this.requireConnection());
    parts.readiness.register('database', async () => void (await database.query('SELECT 1')));
  }

  /** Takes up the alerts that were pending and opens the stream. */
  start(): void {
    this.dispatcher.wake();
    this.stream.start();
  }

  /** Intake first: what is in hand is stored and acknowledged while the stream is still open; then the attempts under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.intake.stop();
    await this.stream.stop();
    await this.dispatcher.stop(this.parts.settings.SHUTDOWN_TIMEOUT_MS * DRAIN_SHARE);
  }

  private get connected(): boolean {
    return this.state.state === 'connected';
  }

  private createDispatcher(counts: SubscriberMetrics, outbox: SqlOutbox): AlertDispatcher {
    const { settings, config, log } = this.parts;
    const sinks = buildSinks(config, {
      timeoutMs: settings.ALERT_TIMEOUT_MS,
      responseLimitBytes: settings.ALERT_RESPONSE_LIMIT_BYTES,
      connections: settings.ALERT_CONCURRENCY,
    });
    const now = () => new Date();
    const attempt = createAttempt({
      log,
      now,
      random: Math.random,
      backoff: { baseMs: settings.ALERT_RETRY_BASE_MS, capMs: settings.ALERT_RETRY_CAP_MS },
      onOutcome: (sink, { kind }) => counts.alertAttempts.inc({ sink, outcome: kind }),
    });
    return new AlertDispatcher(sinks, outbox, attempt, {
      concurrency: settings.ALERT_CONCURRENCY,
      now,
      onStorageFailure: (err, failures, waitMs) => {
        counts.storageFailures.inc();
        log.error({ err, attempt: failures, waitMs }, 'the alert outbox could not be read or written');
      },
    });
  }

  private createReceive(metrics: SubscriberMetrics): Receive {
    const { settings, config, database, log } = this.parts;
    return new Receive({
      config,
      terms: {
        scheme: settings.SIGNATURE_SCHEME,
        freshness: { skewMs: settings.MESSAGE_SKEW_MS, maxAgeMs: settings.MESSAGE_MAX_AGE_MS },
      },
      archive: new SqlArchive(database),
      log,
      metrics,
      wakeDispatcher: () => this.dispatcher.wake(),
      now: () => new Date(),
      stopping: this.stopping.signal,
    });
  }

  /** A fault leaves the connection as it was: the state that follows says what became of it. */
  private noteState(state: StreamState): void {
    const { log, settings } = this.parts;
    if (state.state === 'connected') log.info({ gateway: settings.GATEWAY_URL }, 'gateway stream connected');
    else if (state.state === 'stopped') log.info('gateway stream closed');
    else log.warn({ ...state }, `gateway stream ${state.state}`);
    if (state.state !== 'fault') this.state = state;
  }

  private requireConnection(): void {
    if (this.connected) return;
    const why = this.state.state === 'disconnected' ? `: ${this.state.reason}` : '';
    throw new Error(`not connected${why}`);
  }
}
