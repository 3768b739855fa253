import { readFileSync } from 'node:fs';
import type { Database, StopListening } from '@ssb/database';
import type { OperatorConfig } from '@ssb/operator-config';
import type { Logger, Metrics, Readiness } from '@ssb/platform';
import { AlertDelivery } from './alerts/alert-delivery.js';
import { AlertDispatcher } from './alerts/alert-dispatcher.js';
import type { AlertSink } from './alerts/alert-sink.js';
import { createSinks } from './alerts/create-sinks.js';
import { MessageReceiver } from './receive.js';
import {
  acquireReaderLease,
  releaseReaderLease,
  REPLICAS_CHANNEL,
  type ReaderToken,
} from './replica/reader-lease.js';
import { ReplicaLease } from './replica/replica-lease.js';
import type { Term } from './replica/term.js';
import { replicaName, type Settings } from './settings.js';
import { AlertOutbox } from './storage/alert-outbox.js';
import { ALERTS_CHANNEL, Archive } from './storage/archive.js';
import { ChannelReader } from './stream/channel-reader.js';
import { SubscriberMetrics } from './subscriber-metrics.js';

export interface SubscriberDependencies {
  readonly settings: Settings;
  readonly config: OperatorConfig;
  readonly database: Database;
  /** The same database with its own connections and timeouts that are shorter than the lease. */
  readonly leaseDatabase: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
}

/** Share of the shutdown timeout for attempts in flight; then they are aborted. */
const DRAIN_SHARE = 0.5;

/** The work of one term. It ends with the term; the next term starts new work. */
interface TermWork {
  readonly term: Term;
  readonly dispatcher: AlertDispatcher;
  reader: ChannelReader | undefined;
  /** True once this replica has tried to acquire the reader lease. */
  triedToRead: boolean;
}

/**
 * One replica of the subscriber. During its term it delivers alerts, and reads the channels if no other replica does.
 */
export class Subscriber {
  private readonly metrics: SubscriberMetrics;
  private readonly archive: Archive;
  private readonly outbox: AlertOutbox;
  private readonly sinks: readonly AlertSink[];
  private readonly delivery: AlertDelivery;
  private readonly lease: ReplicaLease;
  private readonly gatewayCa: string | undefined;
  private work: TermWork | undefined;
  private stopping = false;
  /** Work of earlier terms that is still ending. */
  private readonly ending = new Set<Promise<void>>();
  private listening: Promise<StopListening[] | undefined> | undefined;

  constructor(private readonly dependencies: SubscriberDependencies) {
    const { settings, config, database, leaseDatabase, log, metrics, readiness } = dependencies;
    this.metrics = new SubscriberMetrics(metrics);
    const caFile = settings.GATEWAY_CA_FILE;
    this.gatewayCa = caFile === undefined ? undefined : readFileSync(caFile, 'utf8');
    this.archive = new Archive(database);
    this.outbox = new AlertOutbox(database);
    this.sinks = createSinks(config, {
      timeoutMs: settings.ALERT_TIMEOUT_MS,
      responseLimitBytes: settings.ALERT_RESPONSE_LIMIT_BYTES,
      connections: settings.ALERT_CONCURRENCY,
    });
    const backoff = { baseMs: settings.ALERT_RETRY_BASE_MS, maxMs: settings.ALERT_RETRY_CAP_MS };
    this.delivery = new AlertDelivery(backoff, this.metrics, log);
    this.lease = new ReplicaLease({
      database: leaseDatabase,
      name: replicaName(settings),
      ttlMs: settings.LEASE_TTL_MS,
      onStart: (term) => this.onTermStart(term),
      onEnd: (term) => this.onTermEnd(term),
      onRenewed: (term) => this.onTermRenewed(term),
      onError: (err) => {
        this.metrics.storageFailures.inc();
        log.error({ err }, 'replica lease renewal failed');
      },
    });
    this.metrics.observe({
      outbox: this.outbox,
      sinks: config.alerts.sinks.map(({ name }) => name),
      isReader: () => this.work?.reader !== undefined,
      connected: () => this.work?.reader?.connected ?? false,
      bufferedMessages: () => this.work?.reader?.bufferedCount ?? 0,
    });
    readiness.register('replica lease', () => {
      if (this.work?.triedToRead !== true) throw new Error('This replica has no lease');
    });
    readiness.register('gateway stream', () => this.work?.reader?.requireConnection());
    readiness.register('database', async () => void (await database.query('SELECT 1')));
  }

  start(): void {
    this.lease.start();
  }

  /** Stops reading first, so that another replica takes over, then completes the attempts in flight. */
  async stop(): Promise<void> {
    this.stopping = true;
    const { work } = this;
    if (work?.reader !== undefined) await this.stopReading(work.reader);
    await work?.dispatcher.stop(this.dependencies.settings.SHUTDOWN_TIMEOUT_MS * DRAIN_SHARE);
    for (const stop of (await this.listening) ?? []) await stop();
    await this.lease.stop();
    await Promise.all(this.ending);
    await Promise.all(this.sinks.map((sink) => sink.close()));
  }

  private async stopReading(reader: ChannelReader): Promise<void> {
    const { leaseDatabase, log } = this.dependencies;
    await reader.stop();
    await releaseReaderLease(leaseDatabase, reader.token).catch((err: unknown) =>
      log.warn({ err }, 'reader lease release failed'),
    );
  }

  private onTermStart(term: Term): void {
    const { settings, log } = this.dependencies;
    if (this.stopping) return;
    log.info({ termToken: term.token }, 'replica lease acquired');
    const dispatcher = new AlertDispatcher(this.sinks, term, this.outbox, this.delivery, {
      concurrency: settings.ALERT_CONCURRENCY,
      onStorageFailure: (err, failures, waitMs) => {
        this.metrics.storageFailures.inc();
        log.error({ err, attempt: failures, waitMs }, 'alert outbox access failed');
      },
      onLeaseLost: () => this.lease.reportLost(term),
    });
    this.work = { term, dispatcher, reader: undefined, triedToRead: false };
    dispatcher.wake();
  }

  private onTermEnd({ token }: Term): void {
    const { work } = this;
    if (work === undefined) return;
    this.work = undefined;
    this.metrics.leaseEnds.inc();
    const { log } = this.dependencies;
    if (this.stopping) log.info({ termToken: token }, 'replica lease ended');
    else log.warn({ termToken: token }, 'replica lease ended');
    const ended = Promise.all([work.reader?.abort(), work.dispatcher.stop(0)])
      .then(() => undefined)
      .finally(() => this.ending.delete(ended));
    this.ending.add(ended);
  }

  /** Delivers alerts that another replica may have released, and reads the channels if no replica does. */
  private async onTermRenewed(term: Term): Promise<void> {
    const { work } = this;
    if (work?.term !== term || this.stopping) return;
    this.listening ??= this.listen();
    work.dispatcher.wake();
    if (work.reader !== undefined) return;
    const { settings, leaseDatabase, log } = this.dependencies;
    const reader = await acquireReaderLease(leaseDatabase, settings.CLIENT_ID, term.token);
    work.triedToRead = true;
    if (reader === undefined || this.stopping || !term.isActive()) return;
    log.info({ clientId: reader.clientId, readerToken: reader.fencingToken }, 'reader lease acquired');
    work.reader = this.createReader(reader, work);
    work.reader.start();
  }

  private createReader(token: ReaderToken, { term, dispatcher }: TermWork): ChannelReader {
    const { settings, config, log } = this.dependencies;
    const verification = {
      scheme: settings.SIGNATURE_SCHEME,
      freshness: { skewMs: settings.MESSAGE_SKEW_MS, maxAgeMs: settings.MESSAGE_MAX_AGE_MS },
    };
    const receiver = new MessageReceiver(
      token,
      config,
      verification,
      this.archive,
      dispatcher,
      this.metrics,
      log,
    );
    const onLeaseLost = (): void => this.lease.reportLost(term);
    return new ChannelReader(token, settings, this.gatewayCa, receiver, onLeaseLost, this.metrics, log);
  }

  /** Listens for commits and shutdowns of other replicas. A lost notification delays work by at most one renewal interval. */
  private async listen(): Promise<StopListening[] | undefined> {
    const { database, log } = this.dependencies;
    const wakeAll = (): void => {
      this.lease.wake();
      this.work?.dispatcher.wake();
    };
    const lost = (): void => undefined;
    const stops: StopListening[] = [];
    try {
      const received = (): void => this.work?.dispatcher.wake();
      stops.push(await database.listen(ALERTS_CHANNEL, { received, lost, regained: wakeAll }));
      stops.push(await database.listen(REPLICAS_CHANNEL, { received: wakeAll, lost, regained: wakeAll }));
      return stops;
    } catch (err) {
      log.error({ err }, 'replica notifications failed');
      this.listening = undefined;
      for (const stop of stops) await stop();
      return undefined;
    }
  }
}
