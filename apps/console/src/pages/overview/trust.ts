import type { ProblemRow, Status } from '../../api/operations.js';

/** What the figures of the page rest on. */
export interface Trust {
  /** Interfaces of the operator that fail, each with its participant. */
  readonly unreachable: readonly string[];
  /** Interfaces that no poll is known to have read. */
  readonly unread: readonly string[];
  /** Of the channel that is behind most. */
  readonly heartbeatAt: string | undefined;
  /** Participants without any heartbeat. */
  readonly withoutHeartbeat: readonly string[];
  /** Messages in quarantine; undefined for people who may not know. */
  readonly quarantined: number | undefined;
  /** Of these, those of trusted senders. */
  readonly quarantinedTrusted: number;
}

/** For people who see all participants. */
export function trustOfStatus({ polling, archive }: Status): Trust {
  const interfaces = polling.flatMap(({ participant, interfaces }) =>
    interfaces.map((each) => ({ name: `${participant} ${each.interface}`, ...each })),
  );
  const heartbeats = archive?.heartbeats ?? [];
  return {
    unreachable: interfaces.filter(({ failingSince }) => failingSince !== undefined).map(({ name }) => name),
    unread: interfaces
      .filter(({ failingSince, lastSuccessAt }) => failingSince === undefined && lastSuccessAt === undefined)
      .map(({ name }) => name),
    heartbeatAt: oldestOf(heartbeats.map(({ at }) => at)),
    withoutHeartbeat: polling
      .map(({ participant }) => participant)
      .filter((participant) => !heartbeats.some((each) => each.participant === participant)),
    quarantined: archive?.quarantine.messages,
    quarantinedTrusted: archive?.quarantine.trusted ?? 0,
  };
}

/** The newest heartbeat of a participant. */
export interface Heartbeat {
  readonly participant: string;
  /** Absent while there is none. */
  readonly at?: string;
  /** Interfaces of the operator that a poll has read. */
  readonly read: readonly string[];
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
      INTERFACES.filter((name) => !read.includes(name))
        .map((name) => `${participant} ${name}`)
        .filter((name) => !unreachable.includes(name)),
    ),
    heartbeatAt: oldestOf(heartbeats.flatMap(({ at = [] }) => at)),
    withoutHeartbeat: heartbeats.filter(({ at }) => at === undefined).map(({ participant }) => participant),
    quarantined: undefined,
    quarantinedTrusted: 0,
  };
}

const oldestOf = (times: readonly string[]): string | undefined =>
  times.toSorted((one, other) => Date.parse(one) - Date.parse(other))[0];

/** What the data of a heartbeat say: an interface has been read once it names a successful poll. */
export function readPolls(event: Readonly<Record<string, unknown>>): readonly string[] {
  const { polls } = (event['data'] ?? {}) as {
    readonly polls?: Readonly<Record<string, { readonly lastSuccess?: string } | undefined>>;
  };
  return INTERFACES.filter((name) => polls?.[name]?.lastSuccess !== undefined);
}
