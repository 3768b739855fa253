import { EVENT_TYPES } from '@ssb/events';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsDateTime, IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
import { Text, Texts, Time } from '../http/fields.js';
import { IsRepeatable, PageQuery } from '../http/page.js';

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
const MAX_SUBJECT_LENGTH = 512;

/** Which events a listing has. */
export class EventsQuery extends PageQuery {
  @IsRepeatable((text) => EVENT_TYPES.some((type) => type === text), 'must be an event type', {
    description: 'Type of the event.',
  })
  readonly type?: readonly string[];

  @IsRepeatable((text) => text.length > 0 && text.length <= 200, 'must be the code of a participant', {
    description: 'Code of the participant.',
  })
  readonly participant?: readonly string[];

  @IsRepeatable(
    (text) => SEVERITIES.some((each) => each === text),
    `must be one of ${SEVERITIES.join(', ')}`,
    {
      description: 'Severity of the event.',
      values: SEVERITIES,
    },
  )
  readonly severity?: readonly string[];

  @ApiPropertyOptional({
    type: 'string',
    maxLength: MAX_SUBJECT_LENGTH,
    description: 'Beginning of the subject.',
  })
  @IsOptionalField()
  @IsTextThat(
    (text) => text.length <= MAX_SUBJECT_LENGTH,
    `must have at most ${MAX_SUBJECT_LENGTH} characters`,
  )
  readonly subject?: string;

  @ApiPropertyOptional({ type: 'string', format: 'date-time', description: 'Events of this time or later.' })
  @IsOptionalField()
  @IsDateTime()
  readonly since?: Date;

  @ApiPropertyOptional({ type: 'string', format: 'date-time', description: 'Events before this time.' })
  @IsOptionalField()
  @IsDateTime()
  readonly until?: Date;
}

/** An event in a listing. */
export class EventRow {
  @Text({ description: 'Id of the event.' }) readonly id!: string;
  @Text({ description: 'Type of the event.' }) readonly type!: string;
  @Text({ description: 'Code of the participant; * for a fault of the bridge that concerns all.' })
  readonly participant!: string;
  @Text({ description: 'What the event is about.' }) readonly subject!: string;
  @Text({ description: 'Severity of the event.', values: SEVERITIES }) readonly severity!: string;
  @Text({ description: 'Time of the fact, RFC 3339, as the event has it.' }) readonly time!: string;
  @Time({ description: 'When the event was archived.' }) readonly archivedAt!: Date;
  @Texts({ description: 'late, clockSkew, local: what a reader must know besides the event.' })
  readonly marks!: readonly string[];
}

export const EVENT_COLUMNS = [
  'id',
  'type',
  'participant',
  'subject',
  'severity',
  'time',
  'archivedAt',
  'marks',
];
