import { HOP_APPS } from '../hops/hops.js';
import { Flag, Integer, Part, Parts, Text, Texts, Time } from '../http/fields.js';
import { ArchiveStatus } from './archive-status-dto.js';

const HOP_STATES = ['ok', 'degraded', 'error', 'unreachable', 'not-configured'] as const;
export type HopState = (typeof HOP_STATES)[number];

export class CheckStatus {
  @Text({ description: 'Name of the check.' }) readonly name!: string;
  @Flag({ description: 'Whether it passes.' }) readonly isUp!: boolean;
  @Text({ description: 'Why it does not.', optional: true }) readonly message?: string | undefined;
}

export class HopFault {
  @Text({ description: 'Reason of the fault.' }) readonly reason!: string;
  @Text({ description: 'Code of the participant; * for all.' }) readonly participant!: string;
  @Text({ description: 'Channel.', optional: true }) readonly channel?: string | undefined;
  @Text({ description: 'Interface of the operator, or name of the sink.', optional: true })
  readonly interface?: string | undefined;
  @Text({ description: 'Document of the operator.', optional: true }) readonly document?: string | undefined;
  @Text({ description: 'What is wrong.' }) readonly detail!: string;
  @Time({ description: 'Since when.' }) readonly since!: string;
}

export class CertificateStatus {
  @Text({ description: 'What it is for: a service, or server and management for ports of the app.' })
  readonly name!: string;
  @Text({ description: 'Code of the participant.', optional: true }) readonly participant?:
    | string
    | undefined;
  @Integer({ description: 'Whole days until it expires; negative afterwards.' }) readonly daysLeft!: number;
}

/** One process. */
export class HopStatus {
  @Text({ description: 'The app.', values: HOP_APPS }) readonly app!: string;
  @Text({ description: 'The app, with a number where there are several.' }) readonly name!: string;
  @Text({ description: 'not-configured: the API has no address of it.', values: HOP_STATES })
  readonly state!: HopState;
  @Text({ description: 'Why nothing more is known.', optional: true }) readonly detail?: string | undefined;
  @Text({ description: 'Version of the app.', optional: true }) readonly version?: string | undefined;
  @Parts({ description: 'Its readiness checks.', of: () => CheckStatus })
  readonly checks!: readonly CheckStatus[];
  @Parts({ description: 'Its faults, the oldest first; at most 100.', of: () => HopFault })
  readonly faults!: readonly HopFault[];
  @Integer({ description: 'Faults that are left out.' }) readonly furtherFaults!: number;
  @Parts({
    description: 'Its certificates, the one that expires first at the top; at most 100.',
    of: () => CertificateStatus,
  })
  readonly certificates!: readonly CertificateStatus[];
}

export class RequestBudgetStatus {
  @Integer({ description: 'Length of the period.' }) readonly seconds!: number;
  @Integer({ description: 'Requests that are allowed in it.' }) readonly requests!: number;
  @Integer({ description: 'Requests that are left.', optional: true }) readonly left?: number | undefined;
}

export class InterfaceStatus {
  @Text({ description: 'Interface of the operator.' }) readonly interface!: string;
  @Time({ description: 'When a poll last succeeded.', optional: true })
  readonly lastSuccessAt?: string | undefined;
  @Time({ description: 'Beginning of its oldest fault.', optional: true })
  readonly failingSince?: string | undefined;
  @Parts({ description: 'Its request budget.', of: () => RequestBudgetStatus })
  readonly budgets!: readonly RequestBudgetStatus[];
}

/** How a participant is polled. */
export class PollingStatus {
  @Text({ description: 'Code of the participant.' }) readonly participant!: string;
  @Text({ description: 'The replica that polls it; absent while none does.', optional: true })
  readonly leaseHolder?: string | undefined;
  @Parts({ description: 'Empty while that replica does not respond.', of: () => InterfaceStatus })
  readonly interfaces!: readonly InterfaceStatus[];
}

/** The queue between poller and bus-publisher. */
export class QueueStatus {
  @Integer({ description: 'Events that wait.' }) readonly waiting!: number;
  @Integer({ description: 'Events that are being published.' }) readonly active!: number;
  @Integer({ description: 'Events that wait for their next attempt.' }) readonly delayed!: number;
  @Integer({ description: 'Time that the oldest job has waited.' }) readonly oldestWaitingSeconds!: number;
  @Integer({ description: 'Events that could not be published.' }) readonly deadLetters!: number;
  @Integer({ description: 'Jobs that the bridge did not queue.' }) readonly unverifiedDeadLetters!: number;
}

/** The state of the whole bridge. */
export class Status {
  @Time({ description: 'When it was read.' }) readonly at!: Date;
  @Text({
    description: 'failing: facts or alerts may not arrive. degraded: something needs a person soon.',
    values: ['ok', 'degraded', 'failing'],
  })
  readonly state!: string;
  @Text({ description: 'One sentence: what is wrong, and what to do next.' }) readonly summary!: string;
  @Texts({ description: 'All that is wrong, the worst first; at most 20.' })
  readonly findings!: readonly string[];
  @Parts({ description: 'The apps.', of: () => HopStatus }) readonly hops!: readonly HopStatus[];
  @Parts({ description: 'How participants are polled; at most 500.', of: () => PollingStatus })
  readonly polling!: readonly PollingStatus[];
  @Part({
    description: 'The queue; absent while no bus-publisher shows it.',
    optional: true,
    of: () => QueueStatus,
  })
  readonly queue?: QueueStatus | undefined;
  @Text({ description: 'Why the database shows nothing.', optional: true })
  readonly databaseDetail?: string | undefined;
  @Part({ description: 'What the database knows.', optional: true, of: () => ArchiveStatus })
  readonly archive?: ArchiveStatus | undefined;
}
