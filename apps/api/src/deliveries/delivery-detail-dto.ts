import { Flag, Integer, Parts, Text, Texts, Time } from '../http/fields.js';
import { DeliveryRow } from './delivery-dto.js';

/** One try of a delivery. */
export class AttemptRow {
  @Integer({ description: 'Counts the attempts of the delivery from 1.' }) readonly number!: number;
  @Time({ description: 'When it ended.' }) readonly at!: Date;
  @Integer({ description: 'How long it took, milliseconds.' }) readonly durationMs!: number;
  @Text({
    description: 'delivered, rejected, unreachable, timeout, network-not-allowed or unverified.',
  })
  readonly outcome!: string;
  @Integer({ description: 'Status of the response.', optional: true }) readonly status?: number;
  @Text({ description: 'Beginning of the response; only for operators.', optional: true })
  readonly response?: string;
  @Text({ description: 'Why there was no response; only for operators.', optional: true })
  readonly error?: string;
}

/** A delivery with its attempts. */
export class DeliveryDetail extends DeliveryRow {
  @Time({ description: 'When it became pending again, because a person requested it.', optional: true })
  readonly resentAt?: Date;
  @Texts({ description: 'Ids of the events in a digest, in the order of the archive.', optional: true })
  readonly digestEvents?: readonly string[];
  @Parts({ description: 'The newest attempts, oldest first.', of: () => AttemptRow })
  readonly attemptLog!: readonly AttemptRow[];
  @Flag({ description: 'There were earlier attempts that are not in the response.' })
  readonly hasEarlierAttempts!: boolean;
}
