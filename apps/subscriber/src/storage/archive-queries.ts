import type { SqlSession } from '@ssb/postgres';
import { HEARTBEAT_TYPE } from '@ssb/config';
import {
  toArchivedEvent,
  toQuarantinedMessage,
  type ArchiveRow,
  type QuarantineRow,
} from './archive-rows.js';
import type { ArchivedEvent, Page, QuarantinedMessage } from './archive-entries.js';
import { toUndelivered, type Undelivered, type UndeliveredRow } from './undelivered.js';

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

  /** Deliveries that are pending or parked, and those that were replaced, in order of arrival. A page may be longer than its limit. */
  async listUndelivered({ after = 0n, limit }: Page): Promise<Undelivered[]> {
    const rows = await this.database.query<UndeliveredRow>(
      `SELECT archive.position::text, event_id, sink, archive.type, archive.subject, alert, attempts, last_outcome, replaced_by,
              parked_at, parked_until, archived_at
       FROM archive JOIN alert_outbox USING (event_id)
       WHERE archive.position > $1 AND (delivered_at IS NULL OR parked_until IS NOT NULL OR replaced_by IS NOT NULL)
       ORDER BY archive.position FETCH FIRST ($2::bigint) ROWS WITH TIES`,
      [after, limit],
    );
    return rows.map(toUndelivered);
  }
}
