import {
  IsDateTime,
  IsIntBetween,
  IsOptionalField,
  IsTextThat,
  ParseDigits,
} from '@ssb/platform/request-dto';
import { IsNotEmpty, IsString } from 'class-validator';
import type { ReadQuery } from '../broker/broker-client.js';
import { CLIENT_ID_RULE, isClientId } from './bus-names.js';

/** The broker's maximum. A larger amount is refused, because a client would take a shorter response for all messages. */
const MAX_AMOUNT = 1_000;

/** Query of `GET /api/v1/message`. `clientId` is not in document 002; it selects the stored offset. */
export class ReadMessagesDto implements ReadQuery {
  @IsNotEmpty()
  @IsString()
  readonly fqcn!: string;

  @IsOptionalField()
  @IsIntBetween(1, MAX_AMOUNT)
  @ParseDigits()
  readonly amount?: number;

  @IsOptionalField()
  @IsDateTime()
  readonly from?: Date;

  @IsOptionalField()
  @IsTextThat(isClientId, CLIENT_ID_RULE)
  readonly clientId?: string;
}
