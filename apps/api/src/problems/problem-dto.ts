import { ApiPropertyOptional } from '@nestjs/swagger';
import { PROBLEM_KINDS, PROBLEM_LEVELS, SEVERITIES } from '@ssb/events';
import { IsDateTime, IsOptionalField } from '@ssb/platform/request-dto';
import { Flag, Integer, Members, Text, Time } from '../http/fields.js';
import { IsOneOf, IsRepeatable, PageQuery } from '../http/page.js';
import { isName, NAME_SCHEMA } from '../http/texts.js';

/** resolved: an event ended it. closed: a person did. */
export const PROBLEM_STATES = ['open', 'acknowledged', 'resolved', 'closed'] as const;
export const PRESENT_STATES = ['open', 'acknowledged'] as const;

/** Which problems a listing has. */
export class ProblemsQuery extends PageQuery {
  @IsOneOf(PROBLEM_STATES, 'State of the problem. Default: open and acknowledged.')
  readonly state: readonly string[] = PRESENT_STATES;

  @IsOneOf(PROBLEM_KINDS, 'Kind of the problem.')
  readonly kind?: readonly string[];

  @IsOneOf(SEVERITIES, 'Severity of the problem.')
  readonly severity?: readonly string[];

  @IsRepeatable(isName, 'must be the code of a participant', {
    description: 'Code of the participant; * for faults of the bridge.',
    items: NAME_SCHEMA,
  })
  readonly participant?: readonly string[];

  @ApiPropertyOptional({
    type: 'string',
    format: 'date-time',
    description: 'Problems that were opened at this time or later.',
  })
  @IsOptionalField()
  @IsDateTime()
  readonly since?: Date;
}

/** A state that lasts until an event or a person ends it. */
export class ProblemRow {
  @Text({ description: 'Id of the problem.' }) readonly id!: string;
  @Text({ description: 'Kind of the problem.', values: PROBLEM_KINDS }) readonly kind!: string;
  @Text({ description: 'What it is about.' }) readonly key!: string;
  @Text({ description: 'Code of the participant; * for a fault of the bridge that concerns all.' })
  readonly participant!: string;
  @Text({ description: 'resolved: an event ended it. closed: a person did.', values: PROBLEM_STATES })
  readonly state!: string;
  @Text({ description: 'Severity now, or at its end.', values: SEVERITIES }) readonly severity!: string;
  @Text({ description: 'The highest severity that it has had.', values: SEVERITIES })
  readonly worstSeverity!: string;
  @Text({ description: 'Level of a margin, now or at its end.', optional: true, values: PROBLEM_LEVELS })
  readonly level?: string;
  @Text({ description: 'The worst level that it has had.', optional: true, values: PROBLEM_LEVELS })
  readonly worstLevel?: string;
  @Flag({ description: 'No event ends it: a person closes it.' }) readonly closedByPerson!: boolean;
  @Text({ description: 'Time of the fact that opened it, RFC 3339, as the event has it.' })
  readonly since!: string;
  @Time({ description: 'When it was opened.' }) readonly openedAt!: Date;
  @Time({ description: 'When it changed last.' }) readonly changedAt!: Date;
  @Integer({ description: 'How often it became worse.' }) readonly worsened!: number;
  @Members({ description: 'Figures of its last event, as texts with every digit.' })
  readonly figures!: Readonly<Record<string, string>>;
  @Members({ description: 'Figures of its worst event.' })
  readonly worstFigures!: Readonly<Record<string, string>>;
  @Text({ description: 'The worst figure: an amount in AUD, or a count.', optional: true })
  readonly worstMeasure?: string;
  @Time({ description: 'When a person acknowledged it.', optional: true }) readonly acknowledgedAt?: Date;
  @Text({ description: 'Who acknowledged it.', optional: true }) readonly acknowledgedBy?: string;
  @Text({ description: 'What that person wrote.', optional: true }) readonly acknowledgeComment?: string;
  @Time({ description: 'When it ended.', optional: true }) readonly endedAt?: Date;
  @Text({ description: 'Who closed it.', optional: true }) readonly closedBy?: string;
  @Text({ description: 'Why it was closed.', optional: true }) readonly closeComment?: string;
}

/** Without the figures, which are objects. */
export const PROBLEM_COLUMNS = [
  'id',
  'kind',
  'key',
  'participant',
  'state',
  'severity',
  'worstSeverity',
  'level',
  'worstLevel',
  'closedByPerson',
  'since',
  'openedAt',
  'changedAt',
  'worsened',
  'worstMeasure',
  'acknowledgedAt',
  'acknowledgedBy',
  'acknowledgeComment',
  'endedAt',
  'closedBy',
  'closeComment',
];
