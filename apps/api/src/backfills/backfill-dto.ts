import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
import { IsBoolean } from 'class-validator';
import { Flag, Integer, MarketDate, Part, Parts, Text, Time } from '../http/fields.js';
import { IsText, MAX_CODE_LENGTH } from '../http/texts.js';
import { OptionalComment } from '../requests/comment.js';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_REQUIREMENT = 'must be a market date such as 2026-01-01';

/** Which backfill is started. */
export class StartBackfillBody extends OptionalComment {
  @IsText({
    maxLength: MAX_CODE_LENGTH,
    description: 'Code of the participant.',
    requirement: 'must be the code of a participant',
  })
  readonly participant!: string;

  @ApiProperty({ type: 'string', format: 'date', description: 'First market date.' })
  @IsTextThat((text) => DATE.test(text), DATE_REQUIREMENT)
  readonly from!: string;

  @ApiPropertyOptional({
    type: 'string',
    format: 'date',
    description: 'Last market date; today when absent.',
  })
  @IsOptionalField()
  @IsTextThat((text) => DATE.test(text), DATE_REQUIREMENT)
  readonly to?: string;

  @ApiPropertyOptional({
    type: 'boolean',
    default: false,
    description: 'Only list the events, and raise none.',
  })
  @IsOptionalField()
  @IsBoolean()
  readonly dryRun: boolean = false;
}

export class BackfillFailure {
  @Text({ description: 'The record.' }) readonly what!: string;
  @Text({ description: 'Why it could not be fetched or used.' }) readonly reason!: string;
}

export class BackfilledType {
  @Text({ description: 'Type of the events.' }) readonly type!: string;
  @Integer({ description: 'How many.' }) readonly events!: number;
}

/** An event that a dry run found. */
export class ListedEvent {
  @Text({ description: 'Id that the event would have.' }) readonly id!: string;
  @Text({ description: 'Type of the event.' }) readonly type!: string;
  @Text({ description: 'What it is about.' }) readonly subject!: string;
  @Text({ description: 'When it happened (RFC 3339).' }) readonly time!: string;
}

/** The backfill of a participant. */
export class BackfillRow {
  @Text({ description: 'Code of the participant.' }) readonly participant!: string;
  @MarketDate({ description: 'First market date.' }) readonly from!: string;
  @MarketDate({ description: 'Last market date.' }) readonly to!: string;
  @Flag({ description: 'Whether the events are only listed.' }) readonly dryRun!: boolean;
  @Text({
    description: 'requested: the poller has not begun.',
    values: ['requested', 'running', 'paused', 'done'],
  })
  readonly state!: string;
  @Integer({ description: 'Steps that are carried out.' }) readonly stepsDone!: number;
  @Integer({ description: 'All steps, once they are known.', optional: true }) readonly stepsTotal?: number;
  @Integer({ description: 'Events that were raised, or listed.' }) readonly events!: number;
  @Parts({ description: 'The same by type.', of: () => BackfilledType })
  readonly types!: readonly BackfilledType[];
  @Integer({ description: 'Records that could not be fetched or used.' }) readonly failureCount!: number;
  @Parts({ description: 'The first 20 of them.', of: () => BackfillFailure })
  readonly failures!: readonly BackfillFailure[];
  @Text({ description: 'What it waits for, such as the request budget.', optional: true })
  readonly waitingFor?: string;
  @Time({ description: 'When the poller began.', optional: true }) readonly startedAt?: string;
  @Time({ description: 'When it last progressed.', optional: true }) readonly updatedAt?: string;
}

export class StartedBackfill {
  @Text({
    description: 'continued: a backfill of this range was not complete.',
    values: ['started', 'continued'],
  })
  readonly outcome!: string;
  @Part({ description: 'The backfill.', of: () => BackfillRow }) readonly backfill!: BackfillRow;
}
