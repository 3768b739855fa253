import type { OperatorConfig } from '@ssb/config';
import type { Logger } from '@ssb/platform';
import type { Database, StopListening } from '@ssb/postgres';
import type { Archive } from '../archive/archive.js';
import { recordParticipants } from '../archive/participants.js';
import type { DeliveryDispatcher } from '../deliveries/delivery-dispatcher.js';
import type { ReaderSession } from '../reader/reader-session.js';
import { replicaName, type Settings } from '../settings.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import { acquireReaderLease, releaseReaderLease, type ReaderToken } from './reader-lease.js';
import { ReplicaLease } from './replica-lease.js';
import { listenToReplicas } from './replica-notifications.js';
import type { Term } from './running-term.js';

export interface ReplicaOptions {
  readonly settings: Settings;
  /** Returns the configuration in use. */
  readonly config: () => OperatorConfig;
  readonly database: Database;
  readonly leaseDatabase: Database;
  readonly archive: Archive;
  readonly dispatcher: DeliveryDispatcher;
  /** @param onLeaseLost called when the database refuses a write of the session */
  readonly createSession: (token: ReaderToken, onLeaseLost: () => void) => ReaderSession;
  readonly metrics: SubscriberMetrics;
  readonly log: Logger;
}

/** The work of one term. It ends with the term. */
interface TermWork {
  readonly term: Term;
  /** Set while this replica reads the channels. */
  session?: ReaderSession;
  triedToRead: boolean;
}

/** One replica. During a term it delivers what the outbox holds, and it reads the channels if no other replica does. */
export class Replica {
  private readonly lease: ReplicaLease;
  private work: TermWork | undefined;
  private stopping = false;
  /** The configuration whose participants are recorded. */
  private recorded: OperatorConfig | undefined;
  /** Work of earlier terms that is still ending. */
  private readonly ending = new Set<Promise<void>>();
  private listening: Promise<StopListening[] | undefined> | undefined;

  constructor(private readonly options: ReplicaOptions) {
    const { settings, leaseDatabase, metrics, log } = options;
    this.lease = new ReplicaLease({
      database: leaseDatabase,
      name: replicaName(settings),
      ttlMs: settings.LEASE_TTL_MS,
      onStart: (term) => this.startTerm(term),
      onRenewed: (term) => this.continueTerm(term),
      onEnd: (term) => this.endTerm(term),
      onError: (err) => {
        metrics.storageFailures.inc();
        log.error({ err }, 'replica lease renewal failed');
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
    const { dispatcher } = this.options;
    if (this.session !== undefined) await this.stopSession(this.session);
    await dispatcher.stop(drainMs);
    for (const stop of (await this.listening) ?? []) await stop();
    await this.lease.stop();
    await Promise.all(this.ending);
  }

  /** Called when the database refuses a write because the term has ended. */
  reportLost(term: Term): void {
    this.lease.reportLost(term);
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
    const { dispatcher, log } = this.options;
    log.info({ termToken: term.token }, 'replica lease acquired');
    this.work = { term, triedToRead: false };
    dispatcher.start(term);
  }

  /** Delivers what another replica may have released, and reads the channels if no replica does. */
  private async continueTerm(term: Term): Promise<void> {
    const { work } = this;
    if (work?.term !== term || this.stopping) return;
    this.listening ??= this.listen();
    this.options.dispatcher.wake();
    work.session?.wakeRecheck();
    const config = this.options.config();
    if (this.recorded !== config) {
      // Facts that are published after this are delivered; older facts are only archived.
      await recordParticipants(
        this.options.leaseDatabase,
        config.participants.map(({ code }) => code),
      );
      this.recorded = config;
    }
    if (work.session === undefined) await this.startReading(work);
  }

  private async startReading(work: TermWork): Promise<void> {
    const { settings, leaseDatabase, archive, createSession, log } = this.options;
    const { term } = work;
    const reader = await acquireReaderLease(leaseDatabase, settings.CLIENT_ID, term.token);
    // Row numbers below those of the archived events would break the order of listings.
    if (reader !== undefined) await archive.advanceIdentities();
    work.triedToRead = true;
    if (reader === undefined || this.stopping || !term.isActive()) return;
    log.info({ clientId: reader.clientId, readerToken: reader.fencingToken }, 'reader lease acquired');
    work.session = createSession(reader, () => this.lease.reportLost(term));
    work.session.start();
  }

  private async stopSession(session: ReaderSession): Promise<void> {
    const { leaseDatabase, log } = this.options;
    await session.stop();
    await releaseReaderLease(leaseDatabase, session.token).catch((err: unknown) =>
      log.warn({ err }, 'reader lease release failed'),
    );
  }

  private endTerm({ token }: Term): void {
    const { work, stopping } = this;
    if (work === undefined) return;
    const { dispatcher, metrics, log } = this.options;
    this.work = undefined;
    metrics.leaseEnds.inc();
    metrics.forgetFailures();
    log[stopping ? 'info' : 'warn']({ termToken: token }, 'replica lease ended');
    const ended = Promise.all([work.session?.abort(), dispatcher.stop(0)])
      .then(() => undefined)
      .finally(() => this.ending.delete(ended));
    this.ending.add(ended);
  }

  private async listen(): Promise<StopListening[] | undefined> {
    const { database, dispatcher, log } = this.options;
    const stops = await listenToReplicas(database, log, {
      onDeliveries: () => dispatcher.wake(),
      onRecheckRequest: () => this.session?.wakeRecheck(),
      onReplicaChange: () => {
        this.lease.wake();
        dispatcher.wake();
      },
    });
    // The next renewal tries again.
    if (stops === undefined) this.listening = undefined;
    return stops;
  }
}
