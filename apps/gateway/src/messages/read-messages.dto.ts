import { ParseDigits, IsIntBetween, IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
import { Transform } from 'class-transformer';
import { IsNotEmpty, IsString } from 'class-validator';
import type { ReadQuery } from '../broker/broker-client.js';
import { CLIENT_ID_RULE, isClientId } from './bus-names.js';

/** The broker's maximum. A larger amount is refused, because a client would take a shorter response for all messages. */
const MAX_AMOUNT = 1_000;

/** `2026-11-20T01:02:03Z`, with any fraction; a date-time without a zone is UTC (document 002, GET message). */
const DATE_TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?$/;

/** Converts an ISO 8601 date-time to UTC, to the millisecond; undefined for any other text. */
function parseDateTime(text: string): string | undefined {
  // In a query an unescaped plus sign of an offset arrives as a space.
  const [, local = '', zone = 'Z'] = DATE_TIME.exec(text.trim().replace(' ', '+')) ?? [];
  const milliseconds = isExistingDay(local) ? Date.parse(local + zone) : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString();
}

/** Needed because Date.parse accepts 30 February as 2 March. */
function isExistingDay(local: string): boolean {
  const day = local.slice(0, 10);
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** Query of `GET /api/v1/message`. `clientId` is not in document 002; it selects the stored position. */
export class ReadMessagesDto implements ReadQuery {
  @IsNotEmpty()
  @IsString()
  readonly fqcn!: string;

  @IsOptionalField()
  @IsIntBetween(1, MAX_AMOUNT)
  @ParseDigits()
  readonly amount?: number;

  /** ISO 8601, UTC, to the millisecond. */
  @IsOptionalField()
  @IsTextThat((text) => parseDateTime(text) !== undefined, 'must be an ISO 8601 UTC date-time')
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? (parseDateTime(value) ?? value) : value,
  )
  readonly from?: string;

  @IsOptionalField()
  @IsTextThat(isClientId, CLIENT_ID_RULE)
  readonly clientId?: string;
}
