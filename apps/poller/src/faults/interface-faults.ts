import type { MarketInterface } from '@ssb/events';
import type { Fault } from '@ssb/faults';
import { describeExpiry, isExpired, type Connection } from './failure-classification.js';
import type { FoundFault, InterfaceRecord } from './interface-record.js';

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
    ...documents.map(({ document, detail }) => of('operator-answer-unusable', detail, document)),
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
