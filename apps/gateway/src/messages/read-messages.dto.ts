import { FromDigits, IsIntFrom, IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
import { Transform } from 'class-transformer';
import { IsNotEmpty, IsString } from 'class-validator';
import { CLIENT_ID_RULE, isClientId, MAX_AMOUNT, readMoment, type ReadQuery } from '../events/events-query.js';

/** Query of `GET /api/v1/message`. `clientId` is an addition to document 002: the client whose position in the channel is read. */
export class ReadMessagesDto implements ReadQuery {
  @IsNotEmpty()
  @IsString()
  readonly fqcn!: string;

  @IsOptionalField()
  @IsIntFrom(1, MAX_AMOUNT)
  @FromDigits()
  readonly amount?: number;

  @IsOptionalField()
  @IsTextThat((text) => readMoment(text) !== undefined, 'must be an ISO 8601 UTC date-time')
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? (readMoment(value) ?? value) : value,
  )
  readonly from?: string;

  @IsOptionalField()
  @IsTextThat(isClientId, CLIENT_ID_RULE)
  readonly clientId?: string;
}
