import type { MarketInterface } from '@ssb/events';
import type { Fault } from '@ssb/faults';
import type { Throttling } from './throttling.js';
import type { PollResult } from '../polls/responses.js';

/** A fault of one interface, or of one of its documents. */
export type FoundFault = Pick<Fault, 'reason' | 'detail' | 'document'> & {
  readonly interface: MarketInterface | 'token';
};

/** What this replica knows about one interface since it acquired the lease. */
export interface InterfaceRecord {
  /** Faults that failed polls have shown since the latest access, by reason and interface. */
  readonly shown: Map<string, FoundFault>;
  /** Documents that cannot be used, of the latest successful poll. */
  documents: PollResult['unusable'];
  /** Whether this replica has seen that a document can be used, or is no longer requested. */
  isReadable: PollResult['isReadable'];
  /** What bounds leave out of the facts, of the latest successful poll. */
  leftOut: PollResult['leftOut'];
  /** What they left out of the latest backfill; undefined until it is read. */
  backfillLeftOut: PollResult['leftOut'] | undefined;
  /** Whether the operator gave access, also when its response could not be used. */
  hasAccess: boolean;
  succeededAt: Date | undefined;
  lastPollSucceeded: boolean;
  lastFailure: string | undefined;
  closedConnections: number;
  /** Polls in a row in which the operator requested a pause, and what it requested last. */
  throttledPolls: number;
  throttled: string | undefined;
}

export const NOT_THROTTLED = { throttledPolls: 0, throttled: undefined };

/** A response ends the faults that failed polls have shown, also when it cannot be used. */
export function recordAccess(record: InterfaceRecord): void {
  record.hasAccess = true;
  record.closedConnections = 0;
  record.shown.clear();
}

/** A failed poll without throttling says nothing about the operator's limits. */
export function recordThrottling(record: InterfaceRecord, throttling: Throttling | undefined): void {
  if (throttling === undefined) return;
  record.throttledPolls += 1;
  if (throttling.isLong || record.throttledPolls > 1) record.throttled = throttling.detail;
}

/** Nothing is known before the first poll. */
export function newRecords(): Record<MarketInterface, InterfaceRecord> {
  const create = (): InterfaceRecord => ({
    shown: new Map(),
    documents: [],
    leftOut: [],
    backfillLeftOut: undefined,
    hasAccess: false,
    isReadable: () => true,
    succeededAt: undefined,
    lastPollSucceeded: false,
    lastFailure: undefined,
    closedConnections: 0,
    ...NOT_THROTTLED,
  });
  return { prudential: create(), settlement: create() };
}
