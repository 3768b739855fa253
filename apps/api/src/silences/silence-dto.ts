import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ALERT_REASON_NAMES, PROBLEM_KINDS, SEVERITIES } from '@ssb/events';
import { tryParseDuration } from '@ssb/config';
import { IsDateTime, IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
import { Transform } from 'class-transformer';
import { IsBoolean, IsObject } from 'class-validator';
import { Flag, Part, Text, Texts, Time } from '../http/fields.js';
import { PageQuery } from '../http/page.js';
import { RequiredComment } from '../requests/comment.js';

const SILENCE_STATES = ['scheduled', 'active', 'ended'] as const;

const DURATION = String.raw`^0*[1-9]\d{0,8}[smhd]$`;

const MAX_LENGTH_MS = 366 * 86_400_000;

function isLength(text: string): boolean {
  const ms = tryParseDuration(text) ?? 0;
  return ms > 0 && ms <= MAX_LENGTH_MS;
}

/** Which silences a listing has. */
export class SilencesQuery extends PageQuery {
  @ApiPropertyOptional({ type: 'boolean', default: false, description: 'Also those that have ended.' })
  @Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsOptionalField()
  @IsBoolean({ message: '$property must be true or false' })
  readonly all: boolean = false;

  @ApiPropertyOptional({
    type: 'string',
    format: 'date-time',
    description: 'Only those that apply at this time, also ended ones.',
  })
  @IsOptionalField()
  @IsDateTime()
  readonly at?: Date;
}

/** What a silence covers: an event that each given matcher matches. */
export class SilenceMatchers {
  @Texts({ description: 'Event types, such as margin.breached or margin.*.', optional: true })
  readonly types?: string[];
  @Texts({ description: 'Codes of participants.', optional: true }) readonly participants?: string[];
  @Texts({ description: 'Severities.', optional: true, values: SEVERITIES }) readonly severities?: string[];
  @Texts({ description: 'Kinds of problems.', optional: true, values: PROBLEM_KINDS })
  readonly problems?: string[];
  @Texts({ description: 'Of faults of the bridge.', optional: true, values: ALERT_REASON_NAMES })
  readonly reasons?: string[];
}

/** A silence that a person requests. */
export class NewSilence extends RequiredComment {
  @ApiProperty({
    type: () => SilenceMatchers,
    example: { types: ['margin.*'], participants: ['WPGENCO'] },
    description: 'At least one matcher. A caller of some participants names participants, which are its own.',
  })
  @IsObject({
    message: '$property must be an object with types, participants, severities, problems or reasons',
  })
  readonly matchers!: object;

  @ApiPropertyOptional({ type: 'string', format: 'date-time', description: 'When it starts. Default: now.' })
  @IsOptionalField()
  @IsDateTime()
  readonly startsAt?: Date;

  @ApiPropertyOptional({
    type: 'string',
    format: 'date-time',
    description: 'When it ends, instead of `for`.',
  })
  @IsOptionalField()
  @IsDateTime()
  readonly endsAt?: Date;

  @ApiPropertyOptional({
    type: 'string',
    pattern: DURATION,
    example: '4h',
    description: 'How long it lasts, such as 30m, 4h or 2d, instead of `endsAt`.',
  })
  @IsOptionalField()
  @IsTextThat(isLength, 'must be a duration such as 30m, 4h or 2d, at most a year')
  readonly for?: string;
}

/** For a time, the deliveries that match are withheld from every sink. */
export class SilenceRow {
  @Text({ description: 'Id of the silence, and of the request that added it.' }) readonly id!: string;
  @Text({ description: 'Whether it applies now.', values: SILENCE_STATES }) readonly state!: string;
  @Part({ description: 'What it covers.', of: () => SilenceMatchers }) readonly matchers!: SilenceMatchers;
  @Time({ description: 'When it starts.' }) readonly startsAt!: Date;
  @Time({ description: 'When it ends, or ended.' }) readonly endsAt!: Date;
  @Text({ description: 'Who added it.' }) readonly author!: string;
  @Text({ description: 'Why.' }) readonly comment!: string;
  @Text({ description: 'Who ended it before its time.', optional: true }) readonly endedBy?: string;
  @Text({ description: 'Why it was ended.', optional: true }) readonly endComment?: string;
  @Texts({ description: 'Ids of critical problems that it hides or hid, at most 100.' })
  readonly hides!: readonly string[];
  @Flag({ description: 'Whether it hides more.' }) readonly hidesMore!: boolean;
}
