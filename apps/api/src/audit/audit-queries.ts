import { Injectable } from '@nestjs/common';
import { Conditions, Database } from '@ssb/postgres';
import type { Caller } from '../access/caller.js';
import { presentMembers } from '../database/present-members.js';
import { toPage, wrongCursor, type Page } from '../http/page.js';
import { MEMBERS_FOR_OPERATORS, withSilenceKey } from '../requests/shown-request.js';
import { silenceKeyOf } from '../requests/visible-requests.js';
import type { AuditQuery, AuditRow } from './audit-dto.js';

type StoredRow = AuditRow & {
  readonly result: AuditRow['result'] | null;
  readonly silenceKey: string | null;
};

/** Reads the audit table. */
@Injectable()
export class AuditQueries {
  constructor(private readonly database: Database) {}

  /** @throws InvalidRequestError for a cursor that no page has */
  async list({ role }: Caller, query: AuditQuery): Promise<Page<AuditRow>> {
    if (query.cursor !== undefined && !/^\d{1,18}$/.test(query.cursor)) throw wrongCursor();
    const conditions = new Conditions()
      .add(query.kind, (kinds) => `audit.kind = ANY (${kinds}::text[])`)
      .add(query.author, (authors) => `audit.author = ANY (${authors}::text[])`)
      .add(query.since, (time) => `at >= ${time}`)
      .add(query.until, (time) => `at < ${time}`)
      .add(query.cursor, (id) => `audit_id < ${id}::bigint`);
    const rows = await this.database.query<StoredRow>(
      `SELECT audit_id::text AS id, at, audit.kind, step, audit.author, audit.comment, audit.database_role AS "databaseRole",
              request_key::text AS "requestId", action_id::text AS "actionId", audit.parameters, ${silenceKeyOf('audit')} AS "silenceKey",
              CASE jsonb_typeof(audit.result) WHEN 'object' THEN audit.result - ${conditions.parameter(role === 'operator' ? [] : MEMBERS_FOR_OPERATORS)}::text[]
                ELSE audit.result END AS result
       FROM audit LEFT JOIN request USING (request_id) ${conditions.where}
       ORDER BY audit_id DESC LIMIT ${conditions.parameter(query.limit + 1)}`,
      conditions.values,
    );
    return toPage(rows.map(toAuditRow), query.limit, ({ id }) => id);
  }
}

function toAuditRow({ silenceKey, parameters, result, ...row }: StoredRow): AuditRow {
  const silence = { silenceKey };
  return presentMembers({
    ...row,
    parameters: withSilenceKey(parameters, silence),
    result: result && withSilenceKey(result, silence),
  });
}
