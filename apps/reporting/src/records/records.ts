import type { Database, SqlSession } from '@ssb/database';
import { participantOf, type BulkLine, type RecordKind } from '@ssb/market';
import type { SharedCache } from './cache/shared-cache.js';
import { listRecords, type ListQuestion, type RecordPage } from './list-records.js';
import { loadLines, type LoadCount } from './loading/load-lines.js';
import { PrudentialRecords } from './prudential-records.js';
import { scopeOf, TIMELINE_SCOPE, uncached } from './reading.js';
import { SettlementRecords } from './settlement-records.js';
import { TimelineRecords } from './timeline-records.js';

/** All that was published, on one database. Both doors share it: one writes, the other reads. */
export class Records {
  readonly prudential: PrudentialRecords;
  readonly settlement: SettlementRecords;
  readonly timeline: TimelineRecords;

  constructor(
    private readonly database: Database,
    /** Every reading queries the database when omitted. */
    private readonly cache?: SharedCache,
  ) {
    const through = cache ?? uncached;
    this.prudential = new PrudentialRecords(database, through);
    this.settlement = new SettlementRecords(database, through);
    this.timeline = new TimelineRecords(database, through);
  }

  /**
   * All lines in one transaction, or none. Whoever reads after this resolved reads what was loaded.
   * @throws RecordConflictError with the `index` of a line whose key is taken by another content
   */
  async loadAll(lines: readonly BulkLine[]): Promise<LoadCount> {
    const scopes = [...new Set(lines.map(scopeOfLine))];
    const tell = async (session: SqlSession): Promise<void> => this.cache?.announce(session, scopes);
    try {
      return await loadLines(this.database, lines, tell);
    } finally {
      // Also after a failure: a connection that broke while committing leaves open whether it did.
      this.cache?.forget(scopes);
    }
  }

  /** What was loaded of a kind, page by page, in the order of loading. */
  list(kind: RecordKind, question: ListQuestion): Promise<RecordPage> {
    return listRecords(this.database, kind, question);
  }
}

function scopeOfLine(line: BulkLine): string {
  const participant = participantOf(line);
  return participant === undefined ? TIMELINE_SCOPE : scopeOf(participant);
}
