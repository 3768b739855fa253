import type { ProblemRow, QuarantineStatus, Status } from '../../api/operations.js';
import type { Tone } from '../../ui/badge.js';

/** What the figures of the page rest on. */
export interface Trust {
  /** Interfaces of the operator that fail, each with its participant. */
  readonly unreachable: readonly string[];
  /** Interfaces that no poll is known to have read. */
  readonly unread: readonly string[];
  /** The last successful read of the interface that is behind most; undefined while a participant has no report. */
  readonly readAt: string | undefined;
  /** Of the channel that is behind most. */
  readonly heartbeatAt: string | undefined;
  /** Participants without any heartbeat. */
  readonly withoutHeartbeat: readonly string[];
  /** Hidden from people who see some participants only; unknown, as heartbeats are, while the database does not respond. */
  readonly quarantine: QuarantineStatus | 'hidden' | 'unknown';
}

/** For people who see all participants. */
export function trustOfStatus({ polling, archive }: Status): Trust {
  const interfaces = polling.flatMap(({ participant, interfaces }) =>
    interfaces.map((each) => ({ name: `${participant} ${each.interface}`, ...each })),
  );
  const heartbeats = archive?.heartbeats ?? [];
  const isReported = polling.every(({ interfaces: reported }) => reported.length > 0);
  return {
    unreachable: interfaces.filter(({ failingSince }) => failingSince !== undefined).map(({ name }) => name),
    unread: interfaces
      .filter(({ failingSince, lastSuccessAt }) => failingSince === undefined && lastSuccessAt === undefined)
      .map(({ name }) => name),
    readAt: isReported ? oldestOf(interfaces.flatMap(({ lastSuccessAt = [] }) => lastSuccessAt)) : undefined,
    heartbeatAt: oldestOf(heartbeats.map(({ at }) => at)),
    withoutHeartbeat: (archive === undefined ? [] : polling)
      .map(({ participant }) => participant)
      .filter((participant) => !heartbeats.some((each) => each.participant === participant)),
    quarantine: archive?.quarantine ?? 'unknown',
  };
}

/** The newest heartbeat of a participant. */
export interface Heartbeat {
  readonly participant: string;
  /** Absent while there is none. */
  readonly at?: string;
  /** Interfaces of the operator that a poll has read. */
  readonly read: readonly InterfaceRead[];
}

interface InterfaceRead {
  readonly name: string;
  /** When the last successful poll ended. */
  readonly at: string;
}

const INTERFACES = ['prudential', 'settlement'];

/** For people who see some participants only. @param heartbeats one of each participant */
export function trustOfEvents(outages: readonly ProblemRow[], heartbeats: readonly Heartbeat[]): Trust {
  const unreachable = outages.map(({ participant, figures }) =>
    [participant, figures['interface']].filter((part) => typeof part === 'string').join(' '),
  );
  return {
    unreachable,
    unread: heartbeats.flatMap(({ participant, read }) =>
      INTERFACES.filter((name) => !read.some((each) => each.name === name))
        .map((name) => `${participant} ${name}`)
        .filter((name) => !unreachable.includes(name)),
    ),
    readAt: oldestOf(heartbeats.flatMap(({ read }) => read.map(({ at }) => at))),
    heartbeatAt: oldestOf(heartbeats.flatMap(({ at = [] }) => at)),
    withoutHeartbeat: heartbeats.filter(({ at }) => at === undefined).map(({ participant }) => participant),
    quarantine: 'hidden',
  };
}

const oldestOf = (times: readonly string[]): string | undefined =>
  times.toSorted((one, other) => Date.parse(one) - Date.parse(other))[0];

/** What the data of a heartbeat say: an interface has been read once it names a successful poll. */
export function readPolls(event: Readonly<Record<string, unknown>>): readonly InterfaceRead[] {
  const { polls } = (event['data'] ?? {}) as {
    readonly polls?: Readonly<Record<string, { readonly lastSuccess?: string } | undefined>>;
  };
  return INTERFACES.flatMap((name) => {
    const at = polls?.[name]?.lastSuccess;
    return at === undefined ? [] : [{ name, at }];
  });
}

/** Heartbeats are sent each minute by default, and interfaces are read more often. */
const OLD_MS = 5 * 60_000;

export const isOld = (at: string, now: number): boolean => now - Date.parse(at) > OLD_MS;

/** Whether the operator is reachable, as far as recent reads and heartbeats prove it. @param now epoch milliseconds */
export function describeOperator(
  { unreachable, unread, readAt, heartbeatAt, quarantine }: Trust,
  now: number,
): { readonly tone: Tone; readonly text: string } {
  if (unreachable.length > 0)
    return { tone: 'critical', text: `operator unreachable: ${unreachable.join(', ')}` };
  if (unread.length > 0) return { tone: 'warning', text: `operator not read yet: ${unread.join(', ')}` };
  const proofs = quarantine === 'unknown' ? [readAt] : [readAt, heartbeatAt];
  return proofs.every((at) => at !== undefined && !isOld(at, now))
    ? { tone: 'good', text: 'operator reachable' }
    : { tone: 'warning', text: 'operator: not known' };
}
