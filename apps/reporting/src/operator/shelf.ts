import { Injectable } from '@nestjs/common';
import { serialiseJson, type RecordKind } from '@ssb/market';
import { ProblemException } from '@ssb/platform';
import { Records } from '../records/records.js';
import { isSequence, type ListRecordsDto } from './list-records.dto.js';

/** What was loaded, for whoever may read it at the operator's door. Answers are JSON text. */
@Injectable()
export class Shelf {
  constructor(private readonly records: Records) {}

  /** `{"records":[{"sequence":"12","key":{…}}],"next":"12"}`, in the order of loading; without `next` on the last page. */
  async list(kind: RecordKind, query: ListRecordsDto): Promise<string> {
    const { records, next } = await this.records.list(kind, query);
    const entries = records.map(({ sequence, key }) => ({ sequence, key }));
    return serialiseJson({ records: entries, ...(next !== undefined && { next }) });
  }

  /** `{"sequence":"12","key":{…},"document":…}`, the document as participants are served it. @throws ProblemException 404 */
  async one(kind: RecordKind, sequence: string): Promise<string> {
    if (!isSequence(sequence) || sequence === '0') throw notThere(kind);
    const after = String(BigInt(sequence) - 1n);
    const [record] = (await this.records.list(kind, { after, limit: 1 })).records;
    if (record?.sequence !== sequence) throw notThere(kind);
    const { key, document } = record;
    return `${serialiseJson({ sequence, key }).slice(0, -1)},"document":${document}}`;
  }
}

function notThere(kind: RecordKind): ProblemException {
  return new ProblemException(
    404,
    'Not found',
    `None of the ${kind} has this sequence number; GET /operator/v1/${kind} lists those that there are.`,
  );
}
