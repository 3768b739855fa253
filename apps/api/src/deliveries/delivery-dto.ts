import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsDateTime, IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
import { BEGINNING_OF_ID, isBeginningOfId } from '../database/find-id.js';
import { Flag, Integer, Text, Time } from '../http/fields.js';
import { IsOneOf, IsRepeatable, PageQuery } from '../http/page.js';
import {
  IsOptionalText,
  isName,
  MAX_NAME_LENGTH,
  NAME_REQUIREMENT,
  NAME_SCHEMA,
  TYPE_SCHEMA,
} from '../http/texts.js';
import { findShownTypes } from './delivery-types.js';

export const DELIVERY_STATES = ['parked', 'pending', 'skipped', 'withheld', 'replaced', 'delivered'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
const DELIVERY_KINDS = ['alert', 'reminder', 'escalation', 'resolved', 'notice'] as const;

/** Which deliveries a listing has. */
export class DeliveriesQuery extends PageQuery {
  @IsRepeatable(isName, NAME_REQUIREMENT, { description: 'Name of the sink.', items: NAME_SCHEMA })
  readonly sink?: readonly string[];

  @IsOneOf(DELIVERY_STATES, 'State of the delivery.')
  readonly state?: readonly DeliveryState[];

  @IsOneOf(DELIVERY_KINDS, 'Kind of the message.')
  readonly kind?: readonly string[];

  @IsRepeatable(
    (text) => findShownTypes(text).length > 0,
    'must be an event type, such as margin.breached, or delivery.digest, or unknown',
    {
      description:
        'Type of the event, also without prefix and version; delivery.digest for digests, unknown for events that are no longer archived.',
      items: TYPE_SCHEMA,
    },
  )
  readonly type?: readonly string[];

  @IsRepeatable(isName, NAME_REQUIREMENT, {
    description: 'Code of the participant; * for several.',
    items: NAME_SCHEMA,
  })
  readonly participant?: readonly string[];

  @IsOptionalText({ maxLength: MAX_NAME_LENGTH, description: 'Id of the problem.' })
  readonly problem?: string;

  @ApiPropertyOptional({
    type: 'string',
    pattern: BEGINNING_OF_ID,
    description: 'Id of the event, or of a message about it; or its first 6 characters or more.',
  })
  @IsOptionalField()
  @IsTextThat(isBeginningOfId, 'must be an id: give at least the first 6 characters of it')
  readonly event?: string;

  @ApiPropertyOptional({ type: 'string', format: 'date-time', description: 'Added at this time or later.' })
  @IsOptionalField()
  @IsDateTime()
  readonly since?: Date;

  @ApiPropertyOptional({ type: 'string', format: 'date-time', description: 'Added before this time.' })
  @IsOptionalField()
  @IsDateTime()
  readonly until?: Date;
}

/** A delivery in a listing: one message for one sink. */
export class DeliveryRow {
  @Text({ description: 'Id that the sink sees: that of the event, or of a message about it.' })
  readonly eventId!: string;
  @Text({ description: 'Id of the archived event of a message about it.', optional: true })
  readonly aboutEventId?: string;
  @Text({ description: 'Name of the sink.' }) readonly sink!: string;
  @Text({ description: 'parked: the sink refused it.', values: DELIVERY_STATES })
  readonly state!: DeliveryState;
  @Text({ description: 'Kind of the message.', values: DELIVERY_KINDS }) readonly kind!: string;
  @Text({ description: 'Severity of the message.' }) readonly severity!: string;
  @Text({ description: 'Type of the event.' }) readonly type!: string;
  @Text({ description: 'What the event is about.' }) readonly subject!: string;
  @Text({ description: 'Code of the participant; * for several.' }) readonly participant!: string;
  @Time({ description: 'When the event was archived.', optional: true }) readonly archivedAt?: Date;
  @Time({ description: 'When the delivery was added.' }) readonly addedAt!: Date;
  @Integer({ description: 'Attempts so far.' }) readonly attempts!: number;
  @Text({ description: 'How the last attempt ended. A viewer sees no details.', optional: true })
  readonly lastOutcome?: string;
  @Time({ description: 'When it ended: delivered, skipped, replaced or withheld.', optional: true })
  readonly endedAt?: Date;
  @Time({ description: 'The next attempt of a parked delivery.', optional: true })
  readonly nextAttemptAt?: Date;
  @Text({ description: 'Id of the problem of the event.', optional: true }) readonly problemId?: string;
  @Flag({ description: 'Added by a replay from the archive.' }) readonly replayed!: boolean;
  @Text({
    description: 'Why it is not sent alone.',
    values: ['muted', 'silenced', 'min-interval', 'grouped'],
    optional: true,
  })
  readonly withheld?: string;
  @Text({ description: 'Id of the newer event that replaced it.', optional: true })
  readonly replacedBy?: string;
  @Text({
    description: 'Id of the digest that has its event; only with access to all participants.',
    optional: true,
  })
  readonly digestId?: string;
}

export const DELIVERY_COLUMNS = [
  'eventId',
  'sink',
  'state',
  'kind',
  'severity',
  'type',
  'subject',
  'participant',
  'archivedAt',
  'addedAt',
  'attempts',
  'lastOutcome',
  'endedAt',
  'nextAttemptAt',
  'problemId',
  'replayed',
  'withheld',
  'replacedBy',
  'digestId',
];
