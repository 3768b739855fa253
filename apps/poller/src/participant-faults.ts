import { MARKET_INTERFACES, type AlertReason, type MarketInterface } from '@ssb/events';
import type { FaultReporter } from '@ssb/operational-alerts';
import {
  classifyFailure,
  describeExpiry,
  describeFailure,
  isClosedConnection,
  isExpired,
  type ClassifiedFailure,
  type Connection,
} from './domain/failure-classification.js';
import type { HeldParticipant } from './domain/participant-readiness.js';
import type { Throttling } from './domain/throttling.js';
import { isUnusableAnswer } from './poll-failures.js';

export interface ParticipantFaultsOptions {
  readonly participant: string;
  readonly reporter: Pick<FaultReporter, 'raise' | 'clear' | 'forget'>;
  /** The present connection settings, whose certificates change when their files do. */
  readonly connection: (name: MarketInterface | 'token') => Connection;
  /** How long an interface may be without a successful poll, milliseconds. */
  readonly overdueAfterMs: Readonly<Record<MarketInterface, number>>;
  /** Whether CONFIG_FILE names the participant. A running poll may end after its removal. */
  readonly isNamed: () => boolean;
  readonly now?: () => Date;
}

/** What this replica knows about one interface since it acquired the lease. */
interface InterfaceRecord {
  /** Faults that polls have shown since the latest success. */
  readonly shown: Map<AlertReason, string>;
  leftOut: readonly string[];
  succeededAt: Date | undefined;
  lastPollSucceeded: boolean;
  lastFailure: string | undefined;
  closedConnections: number;
  /** Polls in a row in which the operator requested a pause, and what it requested last. */
  throttledPolls: number;
  throttled: string | undefined;
}

const REASONS = [
  'certificate-expired',
  'certificate-refused',
  'token-refused',
  'operator-answer-unusable',
  'operator-throttles',
  'facts-left-out',
  'poll-overdue',
] as const satisfies readonly AlertReason[];

/** Tracks the faults of one participant's polls. Reports them while this replica holds the participant's lease. */
export class ParticipantFaults {
  private leadingSince: Date | undefined;
  private records = newRecords();
  /** What was reported since this replica acquired the lease. */
  private readonly reported = new Map<AlertReason, 'raised' | 'cleared'>();
  private ended = false;

  constructor(private readonly options: ParticipantFaultsOptions) {}

  /** Begins to report, without knowledge of the faults that an earlier leader reported. */
  leaseAcquired(): void {
    if (this.ended) return;
    this.leadingSince = this.now();
    this.records = newRecords();
    this.check();
  }

  /** Leaves the faults to the next leader. */
  leaseLost(): void {
    if (this.ended) return;
    const { reporter, participant } = this.options;
    this.leadingSince = undefined;
    for (const reason of REASONS) reporter.forget({ reason, participant });
    this.reported.clear();
  }

  /** Reports nothing more, also after the end of the lease. */
  end(): void {
    this.leaseLost();
    this.ended = true;
  }

  /**
   * @param unusable answers for single publications that could not be used
   * @param throttling of other requests of the poll
   * @param leftOut what bounds leave out of the facts
   */
  pollSucceeded(
    name: MarketInterface,
    unusable: readonly Error[],
    throttling?: Throttling,
    leftOut: readonly string[] = [],
  ): void {
    const record = this.records[name];
    record.shown.clear();
    record.succeededAt = this.now();
    record.lastPollSucceeded = true;
    record.closedConnections = 0;
    if (throttling === undefined) Object.assign(record, NOT_THROTTLED);
    else recordThrottling(record, throttling);
    for (const error of unusable) record.shown.set('operator-answer-unusable', describeFailure(error));
    record.leftOut = leftOut;
    this.check();
  }

  /** A poll that neither failed nor succeeded: single requests failed, and none was answered. */
  pollThrottled(name: MarketInterface, throttling: Throttling | undefined): void {
    recordThrottling(this.records[name], throttling);
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
    record.closedConnections = failures.some(isClosedConnection) ? record.closedConnections + 1 : 0;
    // The operator gave access, and its answer is at fault.
    if (failures.some(isUnusableAnswer)) record.shown.clear();
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
    for (const fault of classified) if (fault !== undefined) record.shown.set(fault.reason, fault.detail);
    record.lastFailure =
      classified.find((fault) => fault !== undefined)?.detail ?? describeFailure(failures[0]);
    this.check();
    return classified;
  }

  /** Compares the faults with the reported ones. Also called when time has passed, or a certificate was read. */
  check(): void {
    const { reporter, participant, isNamed } = this.options;
    if (this.leadingSince === undefined || !isNamed()) return;
    const active = new Map(MARKET_INTERFACES.map((name) => [name, this.faultsOf(name)]));
    for (const reason of REASONS) {
      const details = [...active].flatMap(([name, faults]) => {
        const detail = faults.get(reason);
        return detail === undefined ? [] : [`${name}: ${detail}`];
      });
      if (details.length > 0) {
        this.reported.set(reason, 'raised');
        reporter.raise({ reason, participant, detail: details.join('; ') });
      } else if (this.mustClear(reason)) {
        this.reported.set(reason, 'cleared');
        reporter.clear({ reason, participant });
      }
    }
  }

  /** The participant with the state of its interfaces; none without the lease. */
  held(): readonly HeldParticipant[] {
    if (this.leadingSince === undefined) return [];
    const interfaces = MARKET_INTERFACES.map((name) => ({
      lastPollSucceeded: this.records[name].lastPollSucceeded,
      faults: this.faultsOf(name),
    }));
    return [{ code: this.options.participant, interfaces }];
  }

  private faultsOf(name: MarketInterface): ReadonlyMap<AlertReason, string> {
    const faults = new Map(this.records[name].shown);
    const expired = this.describeExpired(name);
    // A valid certificate was loaded since a poll showed the fault.
    if (expired === undefined) faults.delete('certificate-expired');
    else if (!faults.has('certificate-expired')) faults.set('certificate-expired', expired);
    const { throttled, leftOut } = this.records[name];
    if (throttled !== undefined) faults.set('operator-throttles', throttled);
    if (leftOut.length > 0) faults.set('facts-left-out', leftOut.join('; '));
    const overdue = this.describeOverdue(name);
    if (overdue !== undefined) faults.set('poll-overdue', overdue);
    return faults;
  }

  private describeExpired(name: MarketInterface): string | undefined {
    const now = this.now();
    for (const each of [name, 'token'] as const) {
      const connection = this.options.connection(each);
      if (connection.certificate !== undefined && isExpired(connection, now))
        return `client certificate ${describeExpiry(connection.certificate, now)}`;
    }
    return undefined;
  }

  private describeOverdue(name: MarketInterface): string | undefined {
    const { succeededAt, lastFailure } = this.records[name];
    const since = succeededAt ?? this.leadingSince;
    if (since === undefined || this.now().getTime() - since.getTime() <= this.options.overdueAfterMs[name])
      return undefined;
    const success =
      succeededAt === undefined
        ? `no successful poll since this replica began to poll at ${since.toISOString()}`
        : `the last successful poll was at ${since.toISOString()}`;
    return `${success}; last failure: ${lastFailure ?? 'none, the poll has not ended'}`;
  }

  /** Whether this replica reported the fault, or its end is known for the first time. */
  private mustClear(reason: AlertReason): boolean {
    const reported = this.reported.get(reason);
    return reported === 'raised' || (reported === undefined && this.isDisproved(reason));
  }

  /** Whether a fault that an earlier leader may have reported has ended. */
  private isDisproved(reason: AlertReason): boolean {
    if (reason === 'certificate-expired') return true;
    return MARKET_INTERFACES.every((name) => this.records[name].succeededAt !== undefined);
  }

  private now(): Date {
    return this.options.now?.() ?? new Date();
  }
}

const NOT_THROTTLED = { throttledPolls: 0, throttled: undefined };

/** A failed poll without throttling says nothing about the operator's limits. */
function recordThrottling(record: InterfaceRecord, throttling: Throttling | undefined): void {
  if (throttling === undefined) return;
  record.throttledPolls += 1;
  if (throttling.isLong || record.throttledPolls > 1) record.throttled = throttling.detail;
}

function newRecords(): Record<MarketInterface, InterfaceRecord> {
  const create = (): InterfaceRecord => ({
    shown: new Map(),
    leftOut: [],
    succeededAt: undefined,
    lastPollSucceeded: false,
    lastFailure: undefined,
    closedConnections: 0,
    ...NOT_THROTTLED,
  });
  return { prudential: create(), settlement: create() };
}
