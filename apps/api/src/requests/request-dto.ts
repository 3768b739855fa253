import { Flag, Members, Parts, Text, Time } from '../http/fields.js';
import { IsOneOf, PageQuery } from '../http/page.js';
import { IsOptionalText, MAX_NAME_LENGTH } from '../http/texts.js';

/** waiting: no replica of the subscriber has taken it. */
const REQUEST_STATES = ['waiting', 'running', 'done', 'refused', 'failed'] as const;
export type RequestState = (typeof REQUEST_STATES)[number];

/** Which requests a listing has. */
export class RequestsQuery extends PageQuery {
  @IsOneOf(REQUEST_STATES, 'State of the request.')
  readonly state?: readonly string[];

  @IsOptionalText({ maxLength: MAX_NAME_LENGTH, description: 'Who requested it.' })
  readonly author?: string;
}

/** What a person requests. The subscriber carries it out. */
export class RequestRow {
  @Text({ description: 'Id of the request.' }) readonly id!: string;
  @Text({ description: 'What is requested, such as acknowledge, close or silence.' }) readonly kind!: string;
  @Text({
    description: 'refused: it cannot be carried out. failed: the subscriber could not complete it.',
    values: REQUEST_STATES,
  })
  readonly state!: RequestState;
  @Time({ description: 'When it was requested.' }) readonly requestedAt!: Date;
  @Time({ description: 'When it ended.', optional: true }) readonly endedAt?: Date;
  @Text({ description: 'Who requested it.' }) readonly author!: string;
  @Text({ description: 'Why.', optional: true }) readonly comment?: string;
  @Members({ description: 'What it is about, as its kind needs.' })
  readonly parameters!: Readonly<Record<string, unknown>>;
  @Members({ description: 'What is done so far, of a request in steps.', optional: true })
  readonly progress?: Readonly<Record<string, unknown>>;
  @Members({
    description: 'What it has changed; `reason` says why it was refused or failed.',
    optional: true,
  })
  readonly result?: Readonly<Record<string, unknown>>;
}

/** A row of the audit log. */
export class AuditedStep {
  @Time({ description: 'When it was recorded.' }) readonly at!: Date;
  @Text({ description: 'requested, done, refused or failed.' }) readonly step!: string;
  @Text({ description: 'Who requested it.' }) readonly author!: string;
  @Text({ description: 'Role of the database session that added the request.' })
  readonly databaseRole!: string;
  @Members({ description: 'Its result.', optional: true })
  readonly result?: Readonly<Record<string, unknown>>;
}

/** One request. */
export class RequestDetail extends RequestRow {
  @Flag({
    description: 'Whether a subscriber runs. Without one, the request is carried out at its next start.',
  })
  readonly subscriberRuns!: boolean;
  @Parts({ description: 'What the audit log has of it, in order.', of: () => AuditedStep })
  readonly steps!: readonly AuditedStep[];
}
