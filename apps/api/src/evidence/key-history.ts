import { Injectable } from '@nestjs/common';
import { Conditions, Database } from '@ssb/postgres';
import type { ChannelTrust } from 'settlement-bus-downstream';
import { toChannelTrust } from 'settlement-bus-downstream/checks';
import { presentMembers } from '../database/present-members.js';
import { toPage, wrongCursor, type Page, type PageQuery } from '../http/page.js';
import type { TrustedKeyRow } from './evidence-dto.js';

/** SQL: RFC 3339 with microseconds, which a Date would cut off. */
const utc = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const COLUMNS = `channel, role, did, participants, ${utc('trusted_until')} AS until,
  CASE WHEN trusted_from > '-infinity' THEN ${utc('trusted_from')} END AS "from",
  (SELECT ${utc('min(revoked_since)')} FROM revoked_key WHERE revoked_key.did = trusted_key.did AND withdrawn_at IS NULL) AS revoked`;

const ORDER = ['channel', 'role', 'trusted_from', 'did'] as const;

/** Reads which keys the subscriber trusted on each channel, and when. */
@Injectable()
export class KeyHistory {
  constructor(private readonly database: Database) {}

  /** By channel and role, the oldest first. @throws InvalidRequestError for another cursor than that of a page */
  async list({ cursor, limit }: PageQuery): Promise<Page<TrustedKeyRow>> {
    const conditions = new Conditions();
    if (cursor !== undefined) {
      const place = CURSOR.exec(cursor)?.slice(1);
      if (place === undefined) throw wrongCursor();
      const [channel, role, from, did] = place.map((value) => conditions.parameter(value));
      conditions.addText(`(${ORDER.join(', ')}) > (${channel}, ${role}, ${from}::timestamptz, ${did})`);
    }
    const rows = await this.database.query<TrustedKeyRow>(
      `SELECT ${COLUMNS} FROM trusted_key ${conditions.where} ORDER BY ${ORDER.join(', ')} LIMIT ${conditions.parameter(limit + 1)}`,
      conditions.values,
    );
    return toPage(rows.map(presentMembers), limit, ({ channel, role, from = '-infinity', did }) =>
      [channel, role, from, did].join(' '),
    );
  }

  /** The keys of a channel whose interval has the time, as PostgreSQL writes it. A Date would cut off microseconds. */
  async findTrusted(channel: string, at: string): Promise<ChannelTrust> {
    const rows = await this.database.query<TrustedKeyRow>(
      `SELECT ${COLUMNS} FROM trusted_key
       WHERE channel = $1 AND $2::timestamptz BETWEEN trusted_from AND coalesce(trusted_until, 'infinity') ORDER BY ${ORDER.join(', ')}`,
      [channel, at],
    );
    return toChannelTrust(rows.map(presentMembers));
  }
}

const CURSOR =
  /^(\S{1,255}) (gateway|origin) (-infinity|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) (did:\S{1,200})$/;
