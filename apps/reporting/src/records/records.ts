import type { Database } from '@ssb/database';
import { PrudentialRecords } from './prudential-records.js';
import { SettlementRecords } from './settlement-records.js';
import { TimelineRecords } from './timeline-records.js';

/** All that was published, on one database. Both doors share it: one writes, the other reads. */
export class Records {
  readonly prudential: PrudentialRecords;
  readonly settlement: SettlementRecords;
  readonly timeline: TimelineRecords;

  constructor(database: Database) {
    this.prudential = new PrudentialRecords(database);
    this.settlement = new SettlementRecords(database);
    this.timeline = new TimelineRecords(database);
  }
}
