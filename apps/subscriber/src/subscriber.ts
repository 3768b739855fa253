import { isDeepStrictEqual } from 'node:util';
import type { StopListening } from '@ssb/postgres';
import { GatewayAccessMonitor } from '@ssb/faults';
import { listReadChannels, type OperatorConfig } from '@ssb/config';
import type { AlertDispatcher } from './alerts/alert-dispatcher.js';
import { AlertDispatchers } from './alerts/alert-dispatchers.js';
import { SubscriberClock } from './clock.js';
import { OwnFaults } from './operations/own-faults.js';
import { Reading } from './reading.js';
import { acquireReaderLease, releaseReaderLease, type ReaderToken } from './replica/reader-lease.js';
import { ReplicaLease } from './replica/replica-lease.js';
import { listenToReplicas } from './replica/replica-notifications.js';
import type { Term } from './replica/term.js';
import { replicaName } from './settings.js';
import { AlertOutbox } from './storage/alert-outbox.js';
import type { Archive } from './storage/archive.js';
import { openArchive } from './open-archive.js';
import { ParkedDeliveries } from './storage/parked-deliveries.js';
import { recordParticipants } from './storage/participants.js';
import { SinkStates } from './storage/sink-states.js';
import { StoredEventVerifier } from './stored-event-verifier.js';
import type { SubscriberDependencies } from './subscriber-dependencies.js';
import { SubscriberMetrics } from './subscriber-metrics.js';

/** Longer than every attempt to write a batch, and than the pauses between them. */
const STUCK_AFTER_MS = 300_000;
/** Share of the shutdown timeout for attempts in flight; then they are aborted. */
const DRAIN_SHARE = 0.5;

/** The work of one term. It ends with the term; the next term starts new work. */
interface TermWork {
  readonly term: Term;
  dispatcher: AlertDispatcher;
  reading?: Reading;
  /** True once this replica has tried to acquire the reader lease. */
  triedToRead: boolean;
}

/**
 * One replica of the subscriber. During its term it delivers alerts, and reads the channels if no other replica does.
 */
export class Subscriber {
  private readonly metrics: SubscriberMetrics;
  private readonly archive: Archive;
  /** In use; the source changes first. */
  private config: OperatorConfig;
  private readonly dispatchers: AlertDispatchers;
  private readonly lease: ReplicaLease;
  private readonly gatewayAccess: GatewayAccessMonitor;
  private readonly clock: SubscriberClock;
  private readonly ownFaults: OwnFaults;
  private work: TermWork | undefined;
  private stopping = false;
  /** The configuration whose participants are recorded. */
  private recorded: OperatorConfig | undefined;
  /** Work of earlier terms that is still ending. */
  private readonly ending = new Set<Promise<void>>();
  private listening: Promise<StopListening[] | undefined> | undefined;

  constructor(private readonly dependencies: SubscriberDependencies) {
    const { settings, config, database, leaseDatabase, log, metrics, readiness, faults } = dependencies;
    const { liveness, stuckAfterMs = STUCK_AFTER_MS } = dependencies;
    this.config = config.current();
    this.metrics = new SubscriberMetrics(metrics);
    this.clock = new SubscriberClock(dependencies);
    this.gatewayAccess = new GatewayAccessMonitor({
      gateway: {
        baseUrl: settings.GATEWAY_URL,
        username: settings.GATEWAY_USERNAME,
        password: dependencies.gatewayPassword,
        connection: dependencies.gatewayConnection,
        onClockReading: (reading) => this.clock.observeGateway(reading),
      },
      required: () => ({ channels: listReadChannels(this.config), permission: 'subscribe' }),
      intervalMs: settings.GATEWAY_CHECK_INTERVAL_MS,
      faults,
    });
    const storedEvents = new StoredEventVerifier(() => this.config, settings, faults);
    this.archive = openArchive(dependencies, () => this.config, storedEvents);
    const outbox = new AlertOutbox(database);
    const parked = new ParkedDeliveries(database);
    const states = new SinkStates(database);
    this.dispatchers = new AlertDispatchers({
      settings,
      config: this.config,
      webhookConnection: dependencies.webhookConnection,
      outbox,
      parked,
      states,
      storedEvents,
      metrics: this.metrics,
      log,
      onLeaseLost: (term) => this.lease.reportLost(term),
    });
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
    this.ownFaults = new OwnFaults(dependencies, {
      states,
      parked,
      sinks: () => this.dispatchers.current,
      onParked: (sinks) => this.work?.dispatcher.noteParked(sinks),
      databaseChecks: [() => this.lease.assertDatabase(), () => this.work?.reading?.reader.assertStorage()],
      storageFailures: this.metrics.storageFailures,
    });
    this.metrics.observe({
      outbox,
      parked,
      log,
      sinks: () => this.dispatchers.sinkNames,
      isReader: () => this.work?.reading !== undefined,
      connected: () => this.work?.reading?.reader.connected ?? false,
      bufferedMessages: () => this.work?.reading?.reader.bufferedCount ?? 0,
      deliveryMode: () => this.work?.reading?.reader.deliveryMode,
      completeUntil: () => this.work?.reading?.reader.completeUntil,
      heartbeatAges: () => this.work?.reading?.heartbeatAges(this.clock.now()) ?? [],
    });
    // During a term the database answers: it renews the lease.
    liveness.register('reader', () => this.work?.reading?.reader.assertProgress(stuckAfterMs));
    readiness.register('replica lease', () => {
      this.lease.assertRenewal();
      if (this.work?.triedToRead !== true) throw new Error('This replica has no lease');
    });
    readiness.register('gateway', () => this.gatewayAccess.assertAccess());
    readiness.register('gateway stream', () => this.work?.reading?.reader.assertConnection());
    readiness.register('database', async () => {
      this.work?.reading?.reader.assertStorage();
      await database.query('SELECT 1');
    });
  }

  start(): void {
    this.gatewayAccess.start();
    this.clock.start();
    this.lease.start();
    this.ownFaults.start();
  }

  /** Stops reading first, so that another replica takes over, then completes the attempts in flight. */
  async stop(): Promise<void> {
    this.stopping = true;
    // A check of the gateway may wait for its answer; the next reader must not.
    const accessStopped = this.gatewayAccess.stop();
    const { work } = this;
    if (work?.reading !== undefined) await this.stopReading(work.reading);
    await work?.dispatcher.stop(this.dependencies.settings.SHUTDOWN_TIMEOUT_MS * DRAIN_SHARE);
    for (const stop of (await this.listening) ?? []) await stop();
    await this.lease.stop();
    await accessStopped;
    await Promise.all(this.ending);
    this.clock.stop();
    await this.ownFaults.stop();
    await this.dispatchers.close();
  }

  /**
   * Takes a changed configuration into use without a restart: the channels are read, the messages verified and the alerts delivered by it
   * from now on. What is in progress is completed by the previous one. Quarantined messages are evaluated again.
   */
  async reconfigure(config: OperatorConfig): Promise<void> {
    if (this.stopping) return;
    const { work } = this;
    const haveSinksChanged = !isDeepStrictEqual(config.alerts.sinks, this.config.alerts.sinks);
    const closePreviousSinks = haveSinksChanged ? this.dispatchers.replaceSinks(config) : undefined;
    // What starts from now on uses it.
    this.config = config;
    this.gatewayAccess.requirementsChanged();
    await Promise.all([
      work?.reading?.reconfigure(config),
      closePreviousSinks && this.replaceDispatcher(work, closePreviousSinks),
    ]);
  }

  private async replaceDispatcher(
    work: TermWork | undefined,
    closePreviousSinks: () => Promise<void>,
  ): Promise<void> {
    try {
      await work?.dispatcher.stop(this.dependencies.settings.SHUTDOWN_TIMEOUT_MS * DRAIN_SHARE);
    } finally {
      if (work !== undefined && work === this.work && !this.stopping) {
        work.dispatcher = this.dispatchers.create(work.term);
        work.dispatcher.wake();
      }
      await closePreviousSinks();
    }
  }

  private async stopReading(reading: Reading): Promise<void> {
    const { leaseDatabase, log } = this.dependencies;
    await reading.stop();
    await releaseReaderLease(leaseDatabase, reading.reader.token).catch((err: unknown) =>
      log.warn({ err }, 'reader lease release failed'),
    );
  }

  private onTermStart(term: Term): void {
    if (this.stopping) return;
    this.dependencies.log.info({ termToken: term.token }, 'replica lease acquired');
    const dispatcher = this.dispatchers.create(term);
    this.work = { term, dispatcher, triedToRead: false };
    dispatcher.wake();
  }

  private onTermEnd({ token }: Term): void {
    const { work } = this;
    if (work === undefined) return;
    this.work = undefined;
    this.metrics.leaseEnds.inc();
    this.metrics.forgetFailures();
    const { log } = this.dependencies;
    if (this.stopping) log.info({ termToken: token }, 'replica lease ended');
    else log.warn({ termToken: token }, 'replica lease ended');
    const ended = Promise.all([work.reading?.abort(), work.dispatcher.stop(0)])
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
    work.reading?.wakeRecheck();
    const { settings, leaseDatabase, log } = this.dependencies;
    const { config } = this;
    if (this.recorded !== config) {
      // From the first start on, facts of these participants are news.
      await recordParticipants(
        leaseDatabase,
        config.participants.map(({ code }) => code),
      );
      this.recorded = config;
    }
    if (work.reading !== undefined) return;
    const reader = await acquireReaderLease(leaseDatabase, settings.CLIENT_ID, term.token);
    // Positions below those of the archived events would break the order of listings.
    if (reader !== undefined) await this.archive.advanceIdentities();
    work.triedToRead = true;
    if (reader === undefined || this.stopping || !term.isActive()) return;
    log.info({ clientId: reader.clientId, readerToken: reader.fencingToken }, 'reader lease acquired');
    work.reading = this.startReading(reader, work);
  }

  private startReading(token: ReaderToken, work: TermWork): Reading {
    const { term } = work;
    const reading = new Reading(token, {
      ...this.dependencies,
      config: this.config,
      archive: this.archive,
      // A changed configuration replaces the dispatcher.
      dispatcher: { wake: () => work.dispatcher.wake() },
      clock: this.clock,
      metrics: this.metrics,
      onLeaseLost: () => this.lease.reportLost(term),
      onConnection: (connected) => this.gatewayAccess.reportConnection(connected),
    });
    reading.start();
    return reading;
  }

  private async listen(): Promise<StopListening[] | undefined> {
    const { database, log } = this.dependencies;
    const stops = await listenToReplicas(database, log, {
      onAlerts: () => this.work?.dispatcher.wake(),
      onRecheckRequest: () => this.work?.reading?.wakeRecheck(),
      onReplicaChange: () => {
        this.lease.wake();
        this.work?.dispatcher.wake();
      },
    });
    // The next renewal tries again.
    if (stops === undefined) this.listening = undefined;
    return stops;
  }
}
