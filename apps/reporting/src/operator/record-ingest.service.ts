import { Inject, Injectable } from '@nestjs/common';
import type { Resource } from '@ssb/market';
import { type BulkLine, RECORD_SCHEMAS, type RecordKind } from '@ssb/market/admin';
import { type Logger, LOGGER, Metrics, ProblemException } from '@ssb/platform';
import { RecordConflictError } from '../records/loading/insert-rows.js';
import type { LoadCount } from '../records/loading/load-lines.js';
import { RecordStore } from '../records/record-store.js';
import { readBulk } from './bulk-reader.js';
import { MAX_ISSUES, readLines, parseResource, unprocessable } from './request-bodies.js';
import { METRICS } from '../metrics.js';

/** A bulk load needs memory of several times the size of its body. */
const MAX_BULK_LOADS = 2;

/** Loads a single record, or JSON lines: all of them or none. */
@Injectable()
export class RecordIngestService {
  private bulkLoads = 0;

  constructor(
    private readonly records: RecordStore,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    const inFlight = () => this.bulkLoads;
    metrics.gauge(METRICS.bulkLoads, (gauge) => {
      gauge.set(inFlight());
    });
  }

  /** @throws ProblemException 400, 409 or 422 */
  async loadOne(kind: RecordKind, body: unknown): Promise<LoadCount> {
    const record = parseResource(RECORD_SCHEMAS[kind] as Resource<unknown>, body);
    const count = await this.load([{ kind, record } as BulkLine]);
    this.log.info({ kind, ...count }, 'record loaded');
    return count;
  }

  /**
   * @param body JSON lines; a load above the maximum is refused before they are read
   * @throws ProblemException 400, 413, 409 or 422, the last two with the line number; 503 above the maximum of loads
   */
  async loadLines(body: AsyncIterable<Buffer>): Promise<LoadCount> {
    if (this.bulkLoads >= MAX_BULK_LOADS) {
      const detail = `${MAX_BULK_LOADS} bulk loads are in flight, which is the maximum: retry later.`;
      throw new ProblemException(503, 'Service unavailable', detail);
    }
    this.bulkLoads += 1;
    try {
      const reading = await readBulk(await readLines(body), MAX_ISSUES);
      if (!reading.ok) throw unprocessable('Nothing was loaded', reading.issues);
      const count = await this.load(reading.lines, reading.numbers);
      this.log.info({ lines: reading.lines.length, ...count }, 'records loaded');
      return count;
    } finally {
      this.bulkLoads -= 1;
    }
  }

  private async load(lines: readonly BulkLine[], numbers: readonly number[] = []): Promise<LoadCount> {
    try {
      return await this.records.loadAll(lines);
    } catch (error) {
      throw error instanceof RecordConflictError ? conflict(error, numbers[error.index]) : error;
    }
  }
}

/** A published record is never changed. */
function conflict({ message, key }: RecordConflictError, line?: number): ProblemException {
  const where = line === undefined ? '' : `Line ${line}: `;
  return new ProblemException(409, 'Conflict', `${where}There is already ${message}.`, {
    key,
    ...(line !== undefined && { line }),
  });
}
