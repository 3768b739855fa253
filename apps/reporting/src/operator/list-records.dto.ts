import { FromDigits, IsIntFrom, IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';

import { isParticipantCode } from '../domain/participant-name.js';

/** A page holds whole documents on its way out of the database, and one may have megabytes. */
const MAX_PAGE = 100;

/** Query of `GET /operator/v1/:kind`: which records of a kind are listed, oldest load first. */
export class ListRecordsDto {
  /** Those of every participant when absent. */
  @IsOptionalField()
  @IsTextThat(isParticipantCode, 'must be one participant code of 1 to 60 printable characters')
  readonly participant?: string;

  /** Those loaded after this one. */
  @IsOptionalField()
  @IsTextThat(isSequence, 'must be the next of the page before')
  readonly after?: string;

  @IsIntFrom(1, MAX_PAGE)
  @FromDigits()
  readonly limit: number = 20;
}

/** Whether a text is the number of a load: 0 to what an SQL bigint holds. */
export function isSequence(text: string): boolean {
  return /^(?:0|[1-9]\d{0,17})$/.test(text);
}
