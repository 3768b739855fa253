import { Flag, Integer, Part, Parts, Text, Time } from '../http/fields.js';

export class ReplicaStatus {
  @Text({ description: 'Name of the replica of the subscriber.' }) readonly name!: string;
  @Flag({ description: 'Whether it reads the channels.' }) readonly isReader!: boolean;
}

export class HeartbeatStatus {
  @Text({ description: 'Code of the participant.' }) readonly participant!: string;
  @Text({ description: 'Channel.' }) readonly channel!: string;
  @Time({ description: 'Time of the newest heartbeat.' }) readonly at!: Date;
  @Integer({ description: 'Its age.' }) readonly ageSeconds!: number;
}

export class WatermarkStatus {
  @Text({ description: 'Channel.' }) readonly channel!: string;
  @Time({ description: 'Everything before this time was read with GET /message.' })
  readonly completeUntil!: Date;
  @Integer({ description: 'Its age.' }) readonly ageSeconds!: number;
}

export class OpenProblemsStatus {
  @Integer({ description: 'Critical problems.' }) readonly critical!: number;
  @Integer({ description: 'Problems of severity warning.' }) readonly warning!: number;
  @Integer({ description: 'Problems of severity info.' }) readonly info!: number;
  @Integer({ description: 'Critical ones that nobody has acknowledged.' })
  readonly unacknowledgedCritical!: number;
  @Integer({
    description: 'Of those of severity warning, the ones that say that a sink is disabled.',
    optional: true,
  })
  readonly disabledSinkWarnings?: number | undefined;
}

/** A level that no open problem shows, because a person has closed the problem. */
export class ClosedMarginStatus {
  @Text({ description: 'Code of the participant.' }) readonly participant!: string;
  @Text({ description: 'Level of the newest margin event.', values: ['WARNING', 'BREACHED'] })
  readonly level!: string;
  @Text({ description: 'Who closed the problem.' }) readonly closedBy!: string;
}

export class SinkStatus {
  @Text({ description: 'Name of the sink.' }) readonly sink!: string;
  @Time({ description: 'Since when it accepts no delivery.', optional: true })
  readonly failingSince?: Date | undefined;
  @Text({ description: 'Its last failure, without details.', optional: true }) readonly lastOutcome?:
    | string
    | undefined;
  @Time({ description: 'When it was disabled.', optional: true }) readonly disabledAt?: Date | undefined;
  @Text({ description: 'Who disabled it.', optional: true }) readonly disabledBy?: string | undefined;
  @Text({ description: 'Why it was disabled.', optional: true }) readonly disabledReason?: string | undefined;
  @Integer({ description: 'Deliveries that wait.' }) readonly pending!: number;
  @Integer({ description: 'Deliveries that it refused.' }) readonly parked!: number;
}

export class QuarantineStatus {
  @Integer({ description: 'Messages; counted up to 10,000.' }) readonly messages!: number;
  @Integer({ description: 'Those that a trusted gateway or bridge signed; counted up to 10,000.' })
  readonly trusted!: number;
}

/** What the database knows. */
export class ArchiveStatus {
  @Parts({ description: 'Running replicas of the subscriber; at most 100.', of: () => ReplicaStatus })
  readonly replicas!: readonly ReplicaStatus[];
  @Parts({ description: 'Newest heartbeats, the oldest first; at most 1,000.', of: () => HeartbeatStatus })
  readonly heartbeats!: readonly HeartbeatStatus[];
  @Parts({
    description: 'Empty where the gateway remembers what was read; at most 1,000.',
    of: () => WatermarkStatus,
  })
  readonly watermarks!: readonly WatermarkStatus[];
  @Part({ description: 'Open problems.', of: () => OpenProblemsStatus })
  readonly openProblems!: OpenProblemsStatus;
  @Parts({
    description: 'Margins below a threshold whose problem a person has closed; at most 100.',
    optional: true,
    of: () => ClosedMarginStatus,
  })
  readonly closedMargins?: readonly ClosedMarginStatus[] | undefined;
  @Parts({
    description: 'Sinks that fail, are disabled, or have deliveries that wait; at most 100.',
    of: () => SinkStatus,
  })
  readonly sinks!: readonly SinkStatus[];
  @Part({ description: 'The quarantine.', of: () => QuarantineStatus })
  readonly quarantine!: QuarantineStatus;
  @Integer({
    description:
      'Archived events that positions, statements and invoices leave out, because they could not be read; counted up to 10,000.',
  })
  readonly unreadEvents!: number;
}
