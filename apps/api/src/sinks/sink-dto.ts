import { Flag, Integer, Text, Time } from '../http/fields.js';

const SINK_STATES = ['delivering', 'failing', 'disabled'] as const;

/** A receiver of deliveries. */
export class SinkRow {
  @Text({ description: 'Name of the sink.' }) readonly name!: string;
  @Text({ description: 'Kind of the sink in CONFIG_FILE.', optional: true }) readonly kind?: string;
  @Flag({ description: 'Whether CONFIG_FILE has it. A former sink may still have deliveries.' })
  readonly inConfigFile!: boolean;
  @Text({ description: 'failing: one delivery at a time is attempted.', values: SINK_STATES })
  readonly state!: (typeof SINK_STATES)[number];
  @Integer({ description: 'Deliveries that wait.' }) readonly pending!: number;
  @Time({ description: 'When the oldest of them was added.', optional: true })
  readonly oldestPendingAt?: Date;
  @Integer({ description: 'Deliveries that it refused.' }) readonly parked!: number;
  @Text({ description: 'Its last failure. A viewer sees no details.', optional: true })
  readonly lastOutcome?: string;
  @Time({ description: 'Since when it fails.', optional: true }) readonly failingSince?: Date;
  @Time({ description: 'When it was disabled.', optional: true }) readonly disabledAt?: Date;
  @Text({ description: 'Who disabled it.', optional: true }) readonly disabledBy?: string;
  @Text({ description: 'Why it was disabled.', optional: true }) readonly disabledReason?: string;
}

export const SINK_COLUMNS = [
  'name',
  'kind',
  'inConfigFile',
  'state',
  'pending',
  'oldestPendingAt',
  'parked',
  'lastOutcome',
  'failingSince',
  'disabledAt',
  'disabledBy',
  'disabledReason',
];
