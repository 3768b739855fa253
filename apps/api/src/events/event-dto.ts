import { findEventTypes } from '@ssb/config';
import { SEVERITIES } from '@ssb/events';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsDateTime, IsOptionalField } from '@ssb/platform/request-dto';
import { Members, Text, Texts, Time } from '../http/fields.js';
import { IsOneOf, IsPageCursor, IsPageLimit, IsRepeatable, MAX_PAGE_SIZE } from '../http/page.js';
import { IsOptionalText, isName, NAME_SCHEMA, TYPE_SCHEMA } from '../http/texts.js';

const MAX_SUBJECT_LENGTH = 512;
export const MAX_ID_LENGTH = 200;

/** Which events a listing or a stream has. */
export class EventsFilterQuery {
  @IsRepeatable(
    (text) => text.length <= TYPE_SCHEMA.maxLength && findEventTypes(text).length > 0,
    'must be an event type or a pattern, such as margin.breached or margin.*',
    {
      description:
        'Type of the event, also without prefix and version, or a pattern with *. A pattern does not match heartbeats.',
      items: TYPE_SCHEMA,
    },
  )
  readonly type?: readonly string[];

  @IsRepeatable(isName, 'must be the code of a participant', {
    description: 'Code of the participant.',
    items: NAME_SCHEMA,
  })
  readonly participant?: readonly string[];

  @IsOneOf(SEVERITIES, 'Severity of the event.')
  readonly severity?: readonly string[];

  @IsOptionalText({ maxLength: MAX_SUBJECT_LENGTH, description: 'Beginning of the subject.' })
  readonly subject?: string;

  @ApiPropertyOptional({ type: 'string', format: 'date-time', description: 'Facts of this time or later.' })
  @IsOptionalField()
  @IsDateTime()
  readonly since?: Date;

  @ApiPropertyOptional({ type: 'string', format: 'date-time', description: 'Facts before this time.' })
  @IsOptionalField()
  @IsDateTime()
  readonly until?: Date;
}

/** Combined by hand: `IntersectionType` of @nestjs/swagger loses the transformations in a bundle. */
export class EventsQuery extends EventsFilterQuery {
  @IsPageLimit()
  readonly limit: number = MAX_PAGE_SIZE;

  @IsPageCursor()
  readonly cursor?: string;
}

/** Which events a stream has. */
export class EventStreamQuery extends EventsFilterQuery {
  @IsOptionalText({
    maxLength: MAX_ID_LENGTH,
    description:
      'Last id that was received, or its first 6 characters or more, or `beginning`; as `Last-Event-ID`.',
    requirement: 'must be the id of an event',
  })
  readonly after?: string;
}

/** An event in a listing. */
export class EventRow {
  @Text({ description: 'Id of the event.' }) readonly id!: string;
  @Text({ description: 'Type of the event.' }) readonly type!: string;
  @Text({ description: 'Code of the participant; * for a fault of the bridge that concerns all.' })
  readonly participant!: string;
  @Text({ description: 'What the event is about.' }) readonly subject!: string;
  @Text({
    description: 'Severity by CONFIG_FILE when the event was archived.',
    values: SEVERITIES,
  })
  readonly severity!: string;
  @Text({ description: 'Time of the fact, RFC 3339, as the event has it.' }) readonly time!: string;
  @Time({ description: 'When the event was archived.' }) readonly archivedAt!: Date;
  @Texts({
    description: 'What a reader must know besides the event.',
    values: ['late', 'clockSkew', 'local'],
  })
  readonly marks!: readonly string[];
  @Members({ description: 'What a person looks for first in the event, as texts with every digit.' })
  readonly figures!: Readonly<Record<string, string>>;
}

/** Without the figures, which are an object. */
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
