import { Injectable } from '@nestjs/common';
import { decompressText, ProblemException } from '@ssb/platform';
import { recordPart } from '../hops/hop-responses.js';
import { Hops } from '../hops/hops.js';

/** Compressed. More than any response that the client of the reporting API accepts. */
const MAX_COMPRESSED_BYTES = 16 * 1024 * 1024;

/** A compressed record, which takes less memory than its text. */
export interface FullRecord {
  /** @throws ProblemException 502 when it is damaged */
  open(): Promise<string>;
}

/** The full records of summarised statements, which the poller keeps. The caller has checked who may see them. */
@Injectable()
export class FullRecords {
  constructor(private readonly hops: Hops) {}

  /**
   * The record with this hash; undefined when it is no longer kept.
   * @throws ProblemException 502 or 503
   */
  async read(sha256: string): Promise<FullRecord | undefined> {
    const compressed = await this.readCompressed(sha256);
    return compressed && { open: () => open(compressed, sha256) };
  }

  private async readCompressed(sha256: string): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    let [offset, bytes] = [0, 1];
    while (offset < Math.min(bytes, MAX_COMPRESSED_BYTES)) {
      const part = await this.readPart(sha256, offset);
      if (part === undefined || part.content.length === 0) return undefined;
      parts.push(part.content);
      offset += part.content.length;
      bytes = part.bytes;
    }
    return Buffer.concat(parts);
  }

  private async readPart(
    sha256: string,
    offset: number,
  ): Promise<{ readonly bytes: number; readonly content: Buffer } | undefined> {
    try {
      const { bytes, content } = await this.hops.read('poller', recordPart, {
        path: `/records/${sha256}`,
        query: { offset: String(offset) },
        right: 'operate',
        namesResource: true,
        // Pollers can have different stores.
        isOfParticipant: true,
      });
      return { bytes, content: Buffer.from(content, 'base64') };
    } catch (error) {
      if (error instanceof ProblemException && error.status === 404) return undefined;
      throw error;
    }
  }
}

/** @throws ProblemException 502 */
async function open(compressed: Buffer, sha256: string): Promise<string> {
  const text = await decompressText(compressed, sha256);
  if (text === undefined)
    throw new ProblemException(
      502,
      'Bad gateway',
      `The poller has a damaged record ${sha256}. Request the statement from the operator.`,
    );
  return text;
}
