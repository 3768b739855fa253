import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIntBetween, IsOptionalField } from '@ssb/platform/request-dto';
import { IsBoolean } from 'class-validator';
import { Flag, Integer, Members, Parts, Text, Time } from '../http/fields.js';
import { IsPageCursor, IsPageLimit, MAX_PAGE_SIZE } from '../http/page.js';
import { IsOptionalText } from '../http/texts.js';
import { OptionalComment } from '../requests/comment.js';

const MAX_ID_LENGTH = 255;

/** Which page of the dead letters a listing has. */
export class DeadLettersQuery {
  @IsPageLimit()
  readonly limit: number = MAX_PAGE_SIZE;

  @IsPageCursor(MAX_ID_LENGTH)
  readonly cursor?: string;
}

/** An event that could not be published. */
export class DeadLetterRow {
  @Text({ description: 'Id of the dead letter.' }) readonly id!: string;
  @Flag({ description: 'Whether the bridge queued the event. Everything in another one can be forged.' })
  readonly verified!: boolean;
  @Text({ description: 'Type of the event.', optional: true }) readonly type?: string;
  @Text({ description: 'Code of the participant.', optional: true }) readonly participant?: string;
  @Text({ description: 'What the event is about.', optional: true }) readonly subject?: string;
  @Text({ description: 'Why it was not published.' }) readonly reason!: string;
  @Text({ description: 'Present when it can end without a change of the event.', optional: true })
  readonly cause?: string;
  @Time({ description: 'When it became a dead letter.' }) readonly deadLetteredAt!: string;
  @Time({ description: 'When it was last queued again.', optional: true }) readonly retriedAt?: string;
}

/** A dead letter with its event. */
export class DeadLetter extends DeadLetterRow {
  @Members({ description: 'The event; absent when it has more than 1 MiB.', optional: true })
  readonly event?: Readonly<Record<string, unknown>>;
  @Integer({ description: 'Size of the event.' }) readonly eventBytes!: number;
}

export const DEAD_LETTER_COLUMNS = [
  'id',
  'verified',
  'type',
  'participant',
  'subject',
  'reason',
  'cause',
  'deadLetteredAt',
  'retriedAt',
];

export class RetryBody extends OptionalComment {
  @ApiPropertyOptional({
    type: 'boolean',
    default: false,
    description: 'Accept an event that the bridge did not queue. Read it first.',
  })
  @IsOptionalField()
  @IsBoolean()
  readonly unverified: boolean = false;
}

/** A page of dead letters that are retried. */
export class RetryPageBody extends OptionalComment {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: MAX_PAGE_SIZE })
  @IsOptionalField()
  @IsIntBetween(1, MAX_PAGE_SIZE)
  readonly limit: number = MAX_PAGE_SIZE;

  @IsOptionalText({
    maxLength: MAX_ID_LENGTH,
    description: '`next` of the response before.',
    requirement: 'must be `next` of a response',
  })
  readonly cursor?: string;
}

const OUTCOMES = ['queued', 'already-queued', 'already-published', 'not-found', 'refused'] as const;

/** What became of a dead letter that was retried. */
export class RetriedLetter {
  @Text({ description: 'Id of the dead letter.' }) readonly id!: string;
  @Text({
    description: 'queued: it leaves the list once it is published. refused: it stays.',
    values: OUTCOMES,
  })
  readonly outcome!: string;
  @Text({ description: 'Why it was refused.', optional: true }) readonly reason?: string;
}

export class RetriedPage {
  @Parts({ description: 'The dead letters of this page.', of: () => RetriedLetter })
  readonly items!: readonly RetriedLetter[];
  @Text({ description: '`cursor` of the next request; absent after the last page.', optional: true })
  readonly next?: string;
}
