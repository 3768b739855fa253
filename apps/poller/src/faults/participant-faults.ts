import {
  alertSubject,
  MARKET_INTERFACES,
  type AlertReason,
  type AlertTopic,
  type MarketInterface,
} from '@ssb/events';
import type { Fault, FaultReporter } from '@ssb/faults';
import {
  classifyFailure,
  describeFailure,
  isClosedConnection,
  type ClassifiedFailure,
  type Connection,
} from './failure-classification.js';
import type { HeldParticipant } from './participant-readiness.js';
import type { Throttling } from './throttling.js';
import {
  listFaults,
  newRecords,
  NOT_THROTTLED,
  recordAccess,
  recordThrottling,
  type FoundFault,
} from './interface-faults.js';
import { isUnusableResponse } from '../polls/poll-failures.js';
import type { PollResult } from '../polls/responses.js';

export interface ParticipantFaultsOptions {
  readonly participant: string;
  readonly reporter: Pick<FaultReporter, 'raise' | 'clear' | 'forget'>;
  /** The present connection settings, whose certificates change when their files do. */
  readonly connection: (name: MarketInterface | 'token') => Connection;
  /** How long an interface may be without a successful poll, milliseconds. */
  readonly overdueAfterMs: Readonly<Record<MarketInterface, number>>;
  /** Whether CONFIG_FILE names the participant. A running poll may end after its removal. */
  readonly isNamed: () => boolean;
  /** The saved faults of all participants that last. */
  readonly listLastingTopics: () => Promise<readonly AlertTopic[]>;
  /** Called when the saved faults cannot be read. They are read again later. */
  readonly onReadFailure: (error: unknown) => void;
  readonly now?: () => Date;
}

type FaultTopic = Omit<Fault, 'detail'>;

interface ActiveFault {
  readonly topic: FaultTopic;
  readonly detail: string;
}

const REASONS: ReadonlySet<AlertReason> = new Set([
  'certificate-expired',
  'certificate-refused',
  'token-refused',
  'operator-response-unusable',
  'operator-throttles',
  'facts-left-out',
  'poll-overdue',
]);

/** Between two readings of the saved faults. An earlier leader may have saved one late. */
const READ_INTERVAL_MS = 300_000;
const READ_RETRY_MS = 30_000;

/**
 * Tracks the faults of one participant's polls, each interface and document by itself. Reports them while this replica holds the
 * participant's lease, and ends those that an earlier leader reported.
 */
export class ParticipantFaults {
  private leadingSince: Date | undefined;
  private records = newRecords();
  /** Faults that were reported, by this replica or by an earlier leader, and have not ended. */
  private readonly reported = new Map<string, FaultTopic>();
  private readAt: Date | undefined;
  private ended = false;

  constructor(private readonly options: ParticipantFaultsOptions) {}

  /** Begins to report, without knowledge of the faults that an earlier leader reported. */
  leaseAcquired(): void {
    if (this.ended) return;
    this.leadingSince = this.now();
    this.records = newRecords();
    this.readAt = undefined;
    this.check();
  }

  /** Leaves the faults to the next leader. */
  leaseLost(): void {
    if (this.ended) return;
    this.leadingSince = undefined;
    for (const topic of this.reported.values()) this.options.reporter.forget(topic);
    this.reported.clear();
  }

  /** Reports nothing more, also after the end of the lease. */
  end(): void {
    this.leaseLost();
    this.ended = true;
  }

  /** @param throttling of other requests of the poll */
  pollSucceeded(
    name: MarketInterface,
    { unusable, isReadable, leftOut }: Pick<PollResult, 'unusable' | 'isReadable' | 'leftOut'>,
    throttling?: Throttling,
  ): void {
    const record = this.records[name];
    recordAccess(record);
    Object.assign(record, { documents: unusable, isReadable, leftOut });
    record.succeededAt = this.now();
    record.lastPollSucceeded = true;
    if (throttling === undefined) Object.assign(record, NOT_THROTTLED);
    else recordThrottling(record, throttling);
    this.check();
  }

  /** A poll that neither failed nor succeeded: single documents failed, and no response could be used. */
  pollUndecided(
    name: MarketInterface,
    { unusable, isReadable, leftOut, failures }: Omit<PollResult, 'hasUsableResponse'>,
    throttling: Throttling | undefined,
  ): void {
    const record = this.records[name];
    recordThrottling(record, throttling);
    if (failures.some(isUnusableResponse)) recordAccess(record);
    Object.assign(record, { documents: unusable, isReadable, leftOut });
    record.lastFailure = describeFailure(failures[0]);
    this.check();
  }

  /** @param leftOut what bounds left out of the latest backfill */
  showBackfill(leftOut: readonly string[]): void {
    const record = this.records.settlement;
    if (leftOut.join() === record.backfillLeftOut?.join()) return;
    record.backfillLeftOut = leftOut;
    this.check();
  }

  /** @returns the fault that each failure shows, in their order */
  pollFailed(
    name: MarketInterface,
    failures: readonly unknown[],
    throttling?: Throttling,
  ): (ClassifiedFailure | undefined)[] {
    const record = this.records[name];
    recordThrottling(record, throttling);
    record.lastPollSucceeded = false;
    // The operator gave access, and its response is at fault.
    if (failures.some(isUnusableResponse)) recordAccess(record);
    record.closedConnections = failures.some(isClosedConnection) ? record.closedConnections + 1 : 0;
    const { participant, connection } = this.options;
    const classified = failures.map((error) =>
      classifyFailure(error, {
        participant,
        reporting: connection(name),
        token: connection('token'),
        closedConnections: record.closedConnections,
        now: this.now(),
      }),
    );
    for (const fault of classified) {
      if (fault === undefined) continue;
      const { reason, detail, server } = fault;
      const interfaceName = server === 'token' ? 'token' : name;
      record.shown.set(`${reason} ${interfaceName}`, { reason, detail, interface: interfaceName });
    }
    record.lastFailure =
      classified.find((fault) => fault !== undefined)?.detail ?? describeFailure(failures[0]);
    this.check();
    return classified;
  }

  /** Compares the faults with the reported ones. Also called when time has passed, or a certificate was read. */
  check(): void {
    const { reporter, participant, isNamed } = this.options;
    if (this.leadingSince === undefined || !isNamed()) return;
    const active = new Map<string, ActiveFault>();
    for (const name of MARKET_INTERFACES)
      for (const found of this.faultsOf(name)) {
        const { reason, interface: interfaceName, document } = found;
        const topic = { reason, participant, interface: interfaceName, document };
        const key = keyOf(topic);
        if (!active.has(key)) active.set(key, { topic, detail: `${name}: ${found.detail}` });
      }
    for (const [key, { topic, detail }] of active) {
      this.reported.set(key, topic);
      reporter.raise({ ...topic, detail });
    }
    for (const [key, topic] of this.reported) {
      if (active.has(key) || !this.hasEnded(topic)) continue;
      this.reported.delete(key);
      reporter.clear(topic);
    }
    this.readSaved();
  }

  /** The participant with the state of its interfaces; none without the lease. */
  held(): readonly HeldParticipant[] {
    if (this.leadingSince === undefined) return [];
    const interfaces = MARKET_INTERFACES.map((name) => ({
      lastPollSucceeded: this.records[name].lastPollSucceeded,
      faults: new Map(this.faultsOf(name).map(({ reason, detail }) => [reason, detail])),
    }));
    return [{ code: this.options.participant, interfaces }];
  }

  /** Adds the faults that an earlier leader reported, so that they end when this replica sees that they have. */
  private readSaved(): void {
    const now = this.now();
    if (this.readAt !== undefined && now.getTime() - this.readAt.getTime() < READ_INTERVAL_MS) return;
    this.readAt = now;
    const { participant, listLastingTopics, onReadFailure } = this.options;
    const term = this.leadingSince;
    void listLastingTopics()
      .then((topics) => {
        if (this.leadingSince !== term) return;
        for (const topic of topics)
          if (topic.participant === participant && REASONS.has(topic.reason)) this.addSaved(topic);
        this.check();
      })
      .catch((error: unknown) => {
        this.readAt = new Date(now.getTime() - READ_INTERVAL_MS + READ_RETRY_MS);
        onReadFailure(error);
      });
  }

  private addSaved(topic: FaultTopic): void {
    const key = keyOf(topic);
    if (!this.reported.has(key)) this.reported.set(key, topic);
  }

  private faultsOf(name: MarketInterface): readonly FoundFault[] {
    const { connection, overdueAfterMs } = this.options;
    const { leadingSince } = this;
    return listFaults(name, this.records[name], {
      connection,
      overdueAfterMs: overdueAfterMs[name],
      leadingSince,
      now: this.now(),
    });
  }

  /** Whether a reported fault that is not active now has ended. This replica may not know the state of a saved one yet. */
  private hasEnded(topic: FaultTopic): boolean {
    const { reason, interface: interfaceName, document } = topic;
    if (reason === 'certificate-expired') return true;
    const isKnown = (name: MarketInterface): boolean => this.isKnown(reason, name);
    const [name] = MARKET_INTERFACES.filter((each) => each === interfaceName);
    // The token service serves both interfaces.
    if (name === undefined) return MARKET_INTERFACES.some(isKnown);
    return isKnown(name) && (document === undefined || this.records[name].isReadable(document));
  }

  /** Whether this replica has seen enough of an interface to end a fault that an earlier leader reported. */
  private isKnown(reason: AlertReason, name: MarketInterface): boolean {
    const { hasAccess, succeededAt, backfillLeftOut } = this.records[name];
    if (reason === 'certificate-refused' || reason === 'token-refused') return hasAccess;
    if (reason === 'facts-left-out' && name === 'settlement' && backfillLeftOut === undefined) return false;
    return succeededAt !== undefined;
  }

  private now(): Date {
    return this.options.now?.() ?? new Date();
  }
}

function keyOf(topic: FaultTopic): string {
  return alertSubject({ ...topic, app: 'poller' });
}
