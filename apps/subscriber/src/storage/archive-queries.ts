import type { SqlSession } from '@ssb/database';
import { HEARTBEAT_TYPE } from '@ssb/operator-config';
import {
  toArchivedEvent,
  toQuarantinedMessage,
  type ArchiveRow,
  type QuarantineRow,
} from './archive-rows.js';
import type { ArchivedEvent, Page, QuarantinedMessage } from './archive-entries.js';

/** Reads archive and quarantine in pages. */
export class ArchiveQueries {
  constructor(private readonly database: SqlSession) {}

  /** Heartbeats are left out. */
  async listArchived({ after = 0n, limit }: Page): Promise<ArchivedEvent[]> {
    const rows = await this.database.query<ArchiveRow>(
      `SELECT position::text, event_id, type, subject, participant, sequence, time, channel, message_id, sender, origin,
              signature, appended_at_nanos::text, archived_at, marks, event
       FROM archive WHERE position > $1 AND type <> $3 ORDER BY archive.position LIMIT $2`,
      [after, limit, HEARTBEAT_TYPE],
    );
    return rows.map(toArchivedEvent);
  }

  async listQuarantined({ after = 0n, limit }: Page): Promise<QuarantinedMessage[]> {
    const rows = await this.database.query<QuarantineRow>(
      `SELECT position::text, channel, message_id, topic, transaction_id, sender, signature, appended_at_nanos::text, reason,
              detail, payload, payload_bytes, quarantined_at, released_at
       FROM quarantine WHERE position > $1 ORDER BY quarantine.position LIMIT $2`,
      [after, limit],
    );
    return rows.map(toQuarantinedMessage);
  }
}
