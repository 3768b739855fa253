import type { EventRow, ProblemRow, Status } from '../../api/operations.js';

/** What the figures of the page rest on. */
export interface Trust {
  /** Interfaces that fail, by participant; undefined while nothing is known. */
  readonly unreachable: readonly string[] | undefined;
  /** Of the channel that is behind most. */
  readonly heartbeatAt: string | undefined;
  /** Messages in quarantine; undefined for people who may not know. */
  readonly quarantined: number | undefined;
  /** Of these, those of trusted senders. */
  readonly quarantinedTrusted: number;
}

/** For people who see all participants. */
export function trustOfStatus({ polling, archive }: Status): Trust {
  const interfaces = polling.flatMap(({ participant, interfaces }) =>
    interfaces.map((each) => ({ participant, ...each })),
  );
  const oldest = archive?.heartbeats
    .map(({ at }) => at)
    .toSorted((one, other) => Date.parse(one) - Date.parse(other));
  return {
    unreachable:
      interfaces.length === 0
        ? undefined
        : interfaces
            .filter(({ failingSince }) => failingSince !== undefined)
            .map(({ participant, interface: name }) => `${participant} ${name}`),
    heartbeatAt: oldest?.[0],
    quarantined: archive?.quarantine.messages,
    quarantinedTrusted: archive?.quarantine.trusted ?? 0,
  };
}

/** For people who see some participants only. */
export function trustOfEvents(
  unreachable: readonly ProblemRow[],
  newestHeartbeat: EventRow | undefined,
): Trust {
  return {
    unreachable: unreachable.map(({ participant, figures }) =>
      [participant, figures['interface']].filter((part) => typeof part === 'string').join(' '),
    ),
    heartbeatAt: newestHeartbeat?.time,
    quarantined: undefined,
    quarantinedTrusted: 0,
  };
}
