import { Injectable } from '@nestjs/common';
import { ProblemException } from '@ssb/platform';
import { RecordStore } from '@ssb/redis-queue';

/** Of the compressed record, in one response. As base64 it is below the 2 MiB that the archive API reads. */
const MAX_PART_BYTES = 1024 * 1024;

/** A part of a compressed record. */
export interface RecordPart {
  /** Size of the whole. */
  readonly bytes: number;
  /** Base64 of the bytes from the offset on. */
  readonly content: string;
}

/** The full records of summarised statements, for the archive API. */
@Injectable()
export class FullRecords {
  constructor(private readonly store: RecordStore) {}

  /** @throws ProblemException 404 */
  async read(sha256: string, offset: number): Promise<RecordPart> {
    const compressed = await this.store.getCompressed(sha256);
    if (compressed === undefined)
      throw new ProblemException(404, 'Not found', 'The record store does not have this record.');
    const part = compressed.subarray(offset, offset + MAX_PART_BYTES);
    return { bytes: compressed.length, content: part.toString('base64') };
  }
}
