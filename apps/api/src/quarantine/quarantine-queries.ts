import { Injectable } from '@nestjs/common';
import { Conditions, Database } from '@ssb/postgres';
import { presentMembers } from '../database/present-members.js';
import { toPage, wrongCursor, type Page } from '../http/page.js';
import type { QuarantineDetail, QuarantineQuery, QuarantineRow } from './quarantine-dto.js';

/** Of a payload in a response, bytes. */
const MAX_SHOWN_BYTES = 65_536;
const ID = /^\d{1,18}$/;

/** The last time that RFC 3339 can write, nanoseconds. A message may say any time. */
const MAX_TIME = '253402300799000000000';

const COLUMNS = `quarantine_offset::text AS id, CASE WHEN released_at IS NULL THEN 'open' ELSE 'released' END AS state, reason, detail, channel,
  message_id AS "messageId", topic, sender, trusted, payload_bytes AS "payloadBytes",
  CASE WHEN appended_at_nanos BETWEEN 0 AND ${MAX_TIME} THEN to_timestamp((appended_at_nanos / 1e9)::double precision) END AS "appendedAt",
  quarantined_at AS "quarantinedAt", released_at AS "releasedAt"`;

/** Reads messages that failed verification. */
@Injectable()
export class QuarantineQueries {
  constructor(private readonly database: Database) {}

  /** @throws InvalidRequestError for a cursor that no page has */
  async list(query: QuarantineQuery): Promise<Page<QuarantineRow>> {
    if (query.cursor !== undefined && !ID.test(query.cursor)) throw wrongCursor();
    const conditions = new Conditions()
      .add(query.reason, (reasons) => `reason = ANY (${reasons}::text[])`)
      .add(query.channel, (channels) => `channel = ANY (${channels}::text[])`)
      .add(query.cursor, (id) => `quarantine_offset < ${id}::bigint`);
    if (!query.state.includes('released')) conditions.addText('released_at IS NULL');
    if (!query.state.includes('open')) conditions.addText('released_at IS NOT NULL');
    const rows = await this.database.query<QuarantineRow>(
      `SELECT ${COLUMNS} FROM quarantine ${conditions.where} ORDER BY quarantine_offset DESC LIMIT ${conditions.parameter(query.limit + 1)}`,
      conditions.values,
    );
    return toPage(rows.map(presentMembers), query.limit, ({ id }) => id);
  }

  /** Undefined for an unknown message. */
  async find(id: string): Promise<QuarantineDetail | undefined> {
    if (!ID.test(id)) return undefined;
    const [row] = await this.database.query<QuarantineDetail & { readonly shown: Uint8Array }>(
      `SELECT ${COLUMNS}, signature, transaction_id AS "transactionId", substring(payload FROM 1 FOR ${MAX_SHOWN_BYTES}) AS shown
       FROM quarantine WHERE quarantine_offset = $1::bigint`,
      [id],
    );
    if (row === undefined) return undefined;
    const { shown, ...others } = row;
    const payloadTruncated = shown.length < row.payloadBytes;
    return { ...presentMembers(others), ...toText(shown, payloadTruncated), payloadTruncated };
  }
}

/** A beginning may end within a character, which is left out. */
function toText(bytes: Uint8Array, isBeginning: boolean): Pick<QuarantineDetail, 'payload' | 'encoding'> {
  try {
    const payload = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: isBeginning,
    });
    return { payload, encoding: 'utf8' };
  } catch {
    return { payload: Buffer.from(bytes).toString('base64'), encoding: 'base64' };
  }
}
