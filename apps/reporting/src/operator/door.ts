import { Inject, Injectable } from '@nestjs/common';
import { LOADS, type BulkLine, type RecordKind, type Resource } from '@ssb/market';
import { LOGGER, Metrics, ProblemException, type Logger } from '@ssb/platform';
import { RecordConflictError } from '../records/record-conflict-error.js';
import { Records } from '../records/records.js';
import { readBulk, type LineIssue } from './bulk-reader.js';
import { JSON_LINES } from './domain/body-form.js';
import { MOST_ISSUES, readRecord } from './read-record.js';
import { readText } from './read-text.js';

/** Bulk loads at once; one holds its records in memory, several times the size of its body. */
const MOST_BULK_LOADS = 2;

export interface Loaded {
  readonly loaded: number;
  readonly alreadyThere: number;
}

/** The road of every load, once it is admitted: is it a record → write it, once; many lines alike, all or none. */
@Injectable()
export class Door {
  private bulkLoads = 0;

  constructor(
    private readonly records: Records,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    const underWay = () => this.bulkLoads;
    metrics.gauge({
      name: 'reporting_bulk_loads',
      help: `Bulk loads under way at the operator’s door, ${MOST_BULK_LOADS} at most`,
      collect() {
        this.set(underWay());
      },
    });
  }

  /** @throws ProblemException 400, 409 or 422 */
  async takeOne(kind: RecordKind, body: unknown): Promise<Loaded> {
    const record = readRecord(LOADS[kind] as Resource<unknown>, body);
    const count = await this.records.loadAll([{ kind, record } as BulkLine]).catch((error: unknown) => {
      throw error instanceof RecordConflictError ? conflict(error) : error;
    });
    this.log.info({ kind, ...count }, 'record taken');
    return count;
  }

  /**
   * @param body JSON lines, of which nothing is read before there is room for them
   * @throws ProblemException 400, 413, 409 or 422, the last two with the number of the line; 503 while enough are being loaded
   */
  async takeLines(body: AsyncIterable<Buffer>): Promise<Loaded> {
    if (this.bulkLoads >= MOST_BULK_LOADS) {
      const detail = `${MOST_BULK_LOADS} bulk loads are under way, and no more are possible: send it again.`;
      throw new ProblemException(503, 'Service unavailable', detail);
    }
    this.bulkLoads += 1;
    try {
      return await this.loadLines(await readText(body, JSON_LINES.largestBytes));
    } finally {
      this.bulkLoads -= 1;
    }
  }

  private async loadLines(body: string): Promise<Loaded> {
    const reading = await readBulk(body, MOST_ISSUES);
    if (!reading.ok) throw refused(reading.issues);
    const { lines, numbers } = reading;
    const count = await this.records.loadAll(lines).catch((error: unknown) => {
      throw error instanceof RecordConflictError ? conflict(error, numbers[error.index]) : error;
    });
    this.log.info({ lines: lines.length, ...count }, 'records taken');
    return count;
  }
}

/** What was published is never rewritten. */
function conflict({ message, key }: RecordConflictError, line?: number): ProblemException {
  const where = line === undefined ? '' : `Line ${line}: `;
  return new ProblemException(409, 'Conflict', `${where}There is already ${message}.`, {
    key,
    ...(line !== undefined && { line }),
  });
}

function refused(issues: readonly LineIssue[]): ProblemException {
  const detail = issues
    .map(({ line, path, message }) => `line ${line}${path === '' ? '' : `, ${path}`}: ${message}`)
    .join('; ');
  return new ProblemException(422, 'Unprocessable content', `Nothing was loaded: ${detail}.`, { issues });
}
