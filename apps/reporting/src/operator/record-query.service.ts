import { Injectable } from '@nestjs/common';
import { serialiseJson } from '@ssb/market';
import type { RecordKind } from '@ssb/market/admin';
import { ProblemException } from '@ssb/platform';
import { ParseDigits, IsIntBetween, IsOptionalField, IsTextThat } from '@ssb/platform/request-dto';
import { isParticipantCode } from '../access/access-decision.js';
import { RecordStore } from '../records/record-store.js';

/** The database returns whole documents, and one may have megabytes. */
const MAX_PAGE = 100;

/** Query of `GET /operator/v1/:kind`. Records are listed in the order of loading. */
export class ListRecordsDto {
  /** All participants when absent. */
  @IsOptionalField()
  @IsTextThat(isParticipantCode, 'must be one participant code of 1 to 60 printable characters')
  readonly participant?: string;

  /** The `next` of the previous page. */
  @IsOptionalField()
  @IsTextThat(isSequence, 'must be the next of the previous page')
  readonly after?: string;

  @IsIntBetween(1, MAX_PAGE)
  @ParseDigits()
  readonly limit: number = 20;
}

/** Lists and shows the loaded records as JSON text. */
@Injectable()
export class RecordQueryService {
  constructor(private readonly records: RecordStore) {}

  /** `{"records":[{"sequence":"12","key":{…}}],"next":"12"}`, in the order of loading; without `next` on the last page. */
  async list(kind: RecordKind, query: ListRecordsDto): Promise<string> {
    const { records, next } = await this.records.list(kind, query);
    const entries = records.map(({ sequence, key }) => ({ sequence, key }));
    return serialiseJson({ records: entries, ...(next !== undefined && { next }) });
  }

  /** `{"sequence":"12","key":{…},"document":…}`, the document as participants are served it. @throws ProblemException 404 */
  async find(kind: RecordKind, sequence: string): Promise<string> {
    if (!isSequence(sequence) || sequence === '0') throw notFound(kind);
    const after = String(BigInt(sequence) - 1n);
    const [record] = (await this.records.list(kind, { after, limit: 1 })).records;
    if (record?.sequence !== sequence) throw notFound(kind);
    const { key, document } = record;
    return `${serialiseJson({ sequence, key }).slice(0, -1)},"document":${document}}`;
  }
}

/** Whether a text is a sequence number, which always fits an SQL bigint. */
function isSequence(text: string): boolean {
  return /^(?:0|[1-9]\d{0,17})$/.test(text);
}

function notFound(kind: RecordKind): ProblemException {
  const detail = `None of the ${kind} has this sequence number: GET /operator/v1/${kind} lists them.`;
  return new ProblemException(404, 'Not found', detail);
}
