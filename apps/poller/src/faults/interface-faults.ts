import type { MarketInterface } from '@ssb/events';
import type { Fault } from '@ssb/faults';
import type { PollResult } from '../polls/responses.js';
import { describeExpiry, isExpired, type Connection } from './failure-classification.js';
import type { Throttling } from './throttling.js';

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

export interface FaultContext {
  readonly connection: (name: MarketInterface | 'token') => Connection;
  /** How long the interface may be without a successful poll, milliseconds. */
  readonly overdueAfterMs: number;
  readonly leadingSince: Date | undefined;
  readonly now: Date;
}

/** The present faults of one interface. */
export function listFaults(
  name: MarketInterface,
  record: InterfaceRecord,
  context: FaultContext,
): readonly FoundFault[] {
  const { shown, documents, throttled } = record;
  const leftOut = [...record.leftOut, ...(record.backfillLeftOut ?? [])];
  const of = (reason: Fault['reason'], detail: string, document?: string): FoundFault => ({
    reason,
    interface: name,
    detail,
    ...(document !== undefined && { document }),
  });
  const overdue = describeOverdue(record, context);
  return [
    // A valid certificate may have been loaded since a poll showed the fault.
    ...[...shown.values()].filter(({ reason }) => reason !== 'certificate-expired'),
    ...listExpired(name, record, context),
    ...(throttled === undefined ? [] : [of('operator-throttles', throttled)]),
    ...(leftOut.length === 0 ? [] : [of('facts-left-out', leftOut.join('; '))]),
    ...(overdue === undefined ? [] : [of('poll-overdue', overdue)]),
    ...documents.map(({ document, detail }) => of('operator-response-unusable', detail, document)),
  ];
}

function listExpired(
  name: MarketInterface,
  { shown }: InterfaceRecord,
  { connection, now }: FaultContext,
): readonly FoundFault[] {
  return ([name, 'token'] as const).flatMap((each): FoundFault[] => {
    const { certificate } = connection(each);
    if (certificate === undefined || !isExpired(connection(each), now)) return [];
    const detail =
      shown.get(`certificate-expired ${each}`)?.detail ??
      `client certificate ${describeExpiry(certificate, now)}`;
    return [{ reason: 'certificate-expired', interface: each, detail }];
  });
}

function describeOverdue(
  { succeededAt, lastFailure }: InterfaceRecord,
  { overdueAfterMs, leadingSince, now }: FaultContext,
): string | undefined {
  const since = succeededAt ?? leadingSince;
  if (since === undefined || now.getTime() - since.getTime() <= overdueAfterMs) return undefined;
  const success =
    succeededAt === undefined
      ? `no successful poll since this replica began to poll at ${since.toISOString()}`
      : `the last successful poll was at ${since.toISOString()}`;
  return `${success}; last failure: ${lastFailure ?? 'none, the poll has not ended'}`;
}
