import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { Archive } from '../archive/archive.js';
import { ConfiguredParticipants } from '../archive/participants.js';
import { ConfigInUse } from '../configuration/config-in-use.js';
import { DATABASE, LEASE_DATABASE } from '../database/database-options.js';
import { DeliveryDispatcher } from '../deliveries/delivery-dispatcher.js';
import { ReaderDependencies } from '../reader/reader-dependencies.js';
import { ReaderSession } from '../reader/reader-session.js';
import { ReminderScheduler } from '../reminders/reminder-scheduler.js';
import { RequestWorker } from '../requests/request-worker.js';
import { SilenceKeeper } from '../silences/silence-keeper.js';
import { replicaName, type Settings } from '../settings.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { acquireReaderLease, releaseReaderLease, type ReaderToken } from './reader-lease.js';
import { ReplicaLease } from './replica-lease.js';
import { ReplicaNotifications } from './replica-notifications.js';
import type { Term } from './running-term.js';
import { recordTrustedKeys } from '../trust/key-history.js';

/** The work of one term. It ends with the term. */
interface TermWork {
  readonly term: Term;
  /** Set while this replica reads the channels. */
  session?: ReaderSession;
  triedToRead: boolean;
}

/** One replica. During a term it delivers what the outbox holds, carries out requests, reminds of problems, and it reads the channels if no other replica does. */
@Injectable()
export class Replica {
  private readonly lease: ReplicaLease;
  private readonly notifications: ReplicaNotifications;
  private work: TermWork | undefined;
  private stopping = false;
  private readonly participants: ConfiguredParticipants;
  /** Work of earlier terms that is still ending. */
  private readonly ending = new Set<Promise<void>>();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly config: ConfigInUse,
    @Inject(DATABASE) database: Database,
    @Inject(LEASE_DATABASE) private readonly leaseDatabase: Database,
    private readonly readerDependencies: ReaderDependencies,
    private readonly archive: Archive,
    private readonly dispatcher: DeliveryDispatcher,
    private readonly requests: RequestWorker,
    private readonly reminders: ReminderScheduler,
    private readonly silences: SilenceKeeper,
    private readonly metrics: SubscriberMetrics,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.lease = new ReplicaLease({
      database: leaseDatabase,
      name: replicaName(settings),
      ttlMs: settings.LEASE_TTL_MS,
      onStart: (term) => this.startTerm(term),
      onRound: (term) => this.deliverAndRead(term),
      onEnd: (term) => this.endTerm(term),
      onError: (err) => {
        metrics.storageFailures.inc();
        log.error({ err }, 'replica lease renewal failed');
      },
    });
    this.participants = new ConfiguredParticipants(leaseDatabase);
    this.notifications = new ReplicaNotifications(database, log, {
      onDeliveries: () => dispatcher.wake(),
      onRequest: () => {
        requests.wake();
        this.session?.wakeRecheck();
      },
      onSilences: () => silences.wake(),
      onReplicaChange: () => {
        this.lease.wake();
        dispatcher.wake();
      },
    });
  }

  get session(): ReaderSession | undefined {
    return this.work?.session;
  }

  start(): void {
    this.lease.start();
  }

  /** Stops reading first, so that another replica takes over, then completes the attempts in flight. */
  async stop(drainMs: number): Promise<void> {
    this.stopping = true;
    if (this.session !== undefined) await this.stopSession(this.session);
    await Promise.all([
      this.requests.stop(),
      this.silences.stop(),
      this.reminders.stop(),
      this.dispatcher.stop(drainMs),
    ]);
    await this.notifications.stop();
    await this.lease.stop();
    await Promise.all(this.ending);
  }

  /** @throws Error with the reason while the replica has no lease */
  assertLease(): void {
    this.lease.assertRenewal();
    if (this.work?.triedToRead !== true) throw new Error('This replica has no lease');
  }

  /** @throws Error with the reason while the database refuses renewals */
  assertDatabase(): void {
    this.lease.assertDatabase();
  }

  private startTerm(term: Term): void {
    if (this.stopping) return;
    this.log.info({ termToken: term.token }, 'replica lease acquired');
    this.work = { term, triedToRead: false };
    this.dispatcher.start(term);
    this.requests.start(term);
    this.reminders.start(term);
    this.silences.start(term);
  }

  /** In each round: delivers what another replica may have released, and starts reading the channels if no replica does. */
  private async deliverAndRead(term: Term): Promise<void> {
    const { work } = this;
    if (work?.term !== term || this.stopping) return;
    this.notifications.start();
    this.dispatcher.wake();
    this.requests.wake();
    this.silences.wake();
    work.session?.wakeRecheck();
    await this.participants.record(this.config.current());
    if (work.session === undefined) await this.startReading(work);
  }

  private async startReading(work: TermWork): Promise<void> {
    const { settings, leaseDatabase, archive, log } = this;
    const { term } = work;
    const token = await acquireReaderLease(leaseDatabase, settings.CLIENT_ID, term.token);
    // Row numbers below those of the archived events would break the order of listings.
    if (token !== undefined) await archive.transactions.advanceIdentities();
    else work.triedToRead = true;
    if (token === undefined || this.stopping || !term.isActive()) return;
    log.info({ clientId: token.clientId, readerToken: token.fencingToken }, 'reader lease acquired');
    if (!(await this.recordKeysInUse(work, token))) return;
    work.session = new ReaderSession(this.readerDependencies, token, term);
    work.session.start();
    work.triedToRead = true;
  }

  /**
   * Records the keys of the configuration in use. When it changes meanwhile, the new one is recorded too, because the session verifies with it.
   * @returns false when the term ended
   */
  private async recordKeysInUse({ term }: TermWork, token: ReaderToken): Promise<boolean> {
    let recorded;
    while (recorded !== this.config.current()) {
      recorded = this.config.current();
      await recordTrustedKeys(this.leaseDatabase, recorded, token);
      if (this.stopping || !term.isActive()) return false;
    }
    return true;
  }

  private async stopSession(session: ReaderSession): Promise<void> {
    await session.stop();
    await releaseReaderLease(this.leaseDatabase, session.token).catch((err: unknown) =>
      this.log.warn({ err }, 'reader lease release failed'),
    );
  }

  private endTerm({ token }: Term): void {
    const { work, stopping, dispatcher, requests, reminders, silences, metrics, log } = this;
    if (work === undefined) return;
    this.work = undefined;
    metrics.leaseEnds.inc();
    metrics.forgetFailures();
    log[stopping ? 'info' : 'warn']({ termToken: token }, 'replica lease ended');
    const ended = Promise.all([
      work.session?.abort(),
      dispatcher.stop(0),
      requests.stop(),
      reminders.stop(),
      silences.stop(),
    ])
      .then(() => undefined)
      .finally(() => this.ending.delete(ended));
    this.ending.add(ended);
  }
}
