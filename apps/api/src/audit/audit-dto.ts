import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsDateTime, IsOptionalField } from '@ssb/platform/request-dto';
import { Members, Text, Time } from '../http/fields.js';
import { IsRepeatable, PageQuery } from '../http/page.js';
import { isName, NAME_REQUIREMENT, NAME_SCHEMA } from '../http/texts.js';

const AUDIT_STEPS = ['requested', 'done', 'refused', 'failed', 'unknown'] as const;
const KIND = /^[a-z-]{1,64}$/;

/** Which records of the audit table a listing has. */
export class AuditQuery extends PageQuery {
  @IsRepeatable((text) => KIND.test(text), 'must be the kind of a request or an action, such as close', {
    description: 'Kind of the request or action.',
    items: { type: 'string', pattern: KIND.source },
  })
  readonly kind?: readonly string[];

  @IsRepeatable(isName, NAME_REQUIREMENT, { description: 'Who requested it.', items: NAME_SCHEMA })
  readonly author?: readonly string[];

  @ApiPropertyOptional({ type: 'string', format: 'date-time', description: 'Records of this time or later.' })
  @IsOptionalField()
  @IsDateTime()
  readonly since?: Date;

  @ApiPropertyOptional({ type: 'string', format: 'date-time', description: 'Records before this time.' })
  @IsOptionalField()
  @IsDateTime()
  readonly until?: Date;
}

/** A record of the audit table: something was requested, or has ended. */
export class AuditRow {
  @Text({ description: 'Id of the record.' }) readonly id!: string;
  @Time({ description: 'When it was recorded.' }) readonly at!: Date;
  @Text({ description: 'Kind of the request or action.' }) readonly kind!: string;
  @Text({ description: 'What happened to it. unknown: an app did not respond.', values: AUDIT_STEPS })
  readonly step!: string;
  @Text({ description: 'Who requested it.' }) readonly author!: string;
  @Text({ description: 'What the author wrote.', optional: true }) readonly comment?: string;
  @Text({ description: 'Role of the database session that requested it.' }) readonly databaseRole!: string;
  @Text({ description: 'Id of the request.', optional: true }) readonly requestId?: string;
  @Text({ description: 'Id of the action, which was not a request to the subscriber.', optional: true })
  readonly actionId?: string;
  @Members({ description: 'What it is about.' }) readonly parameters!: Readonly<Record<string, unknown>>;
  @Members({
    description: 'How it ended. The response of a sink is only there for operators.',
    optional: true,
  })
  readonly result?: Readonly<Record<string, unknown>>;
}

export const AUDIT_COLUMNS = [
  'id',
  'at',
  'kind',
  'step',
  'author',
  'comment',
  'databaseRole',
  'requestId',
  'actionId',
];
