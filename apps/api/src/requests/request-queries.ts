import { Injectable } from '@nestjs/common';
import { Conditions, Database } from '@ssb/postgres';
import type { Caller } from '../access/caller.js';
import { toPage, wrongCursor, type Page } from '../http/page.js';
import { findId } from '../database/find-id.js';
import { isUuid } from '../http/texts.js';
import type { AuditedStep, RequestDetail, RequestRow, RequestsQuery } from './request-dto.js';
import { toRequestRow, toShownResult, type StoredRequest } from './shown-request.js';
import { addVisibility, silenceKeyOf } from './visible-requests.js';

const STATE = `CASE WHEN outcome IS NOT NULL THEN outcome WHEN claimed_by IS NULL THEN 'waiting' ELSE 'running' END`;

/** SQL: the columns of a `StoredRequest`, of the table `request`. */
export const REQUEST_COLUMNS = `request_key AS id, request_id AS number, kind, ${STATE} AS state, requested_at AS "requestedAt", finished_at AS "endedAt",
  author, comment, parameters, progress, result,
  ${silenceKeyOf('request')} AS "silenceKey"`;

/** Reads requests, and what the audit log has of them. */
@Injectable()
export class RequestQueries {
  constructor(private readonly database: Database) {}

  /**
   * The newest first.
   * @throws InvalidRequestError for the cursor of a request that the caller may not see
   */
  async list(caller: Caller, query: RequestsQuery): Promise<Page<RequestRow>> {
    const conditions = addVisibility(new Conditions(), caller)
      .add(query.state, (states) => `${STATE} = ANY (${states}::text[])`)
      .add(query.author, (author) => `author = ${author}`);
    if (query.cursor !== undefined) {
      const last = await this.read(caller, query.cursor);
      if (last === undefined) throw wrongCursor();
      conditions.add(last.number, (number) => `request_id < ${number}`);
    }
    const rows = await this.database.query<StoredRequest>(
      `SELECT ${REQUEST_COLUMNS} FROM request ${conditions.where} ORDER BY request_id DESC LIMIT ${conditions.parameter(query.limit + 1)}`,
      conditions.values,
    );
    return toPage(
      rows.map((row) => toRequestRow(row, caller)),
      query.limit,
      ({ id }) => id,
    );
  }

  /**
   * A request that the caller may see.
   * @param text its id, or the first 6 characters or more
   * @throws ProblemException 409 when several begin so
   */
  async find(caller: Caller, text: string): Promise<RequestDetail | undefined> {
    const id = await findId(this.database, text, 'requests', {
      table: 'request',
      column: 'request_key',
      addVisibility: (conditions) => addVisibility(conditions, caller),
    });
    const stored = id && (await this.read(caller, id));
    if (!stored) return undefined;
    const [replica] = await this.database.query<{ runs: boolean }>(
      'SELECT EXISTS (SELECT FROM replica WHERE expires_at > clock_timestamp()) AS runs',
    );
    const steps = await this.database.query<AuditedStep & Pick<StoredRequest, 'result'>>(
      `SELECT at, step, author, database_role AS "databaseRole", result FROM audit WHERE request_id = $1 ORDER BY audit_id`,
      [stored.number],
    );
    return {
      ...toRequestRow(stored, caller),
      subscriberRuns: replica?.runs === true,
      steps: steps.map(({ result, ...step }) => ({
        ...step,
        ...(result !== null && { result: toShownResult(result, stored, caller) }),
      })),
    };
  }

  /** One request that the caller has added itself. */
  async findOwn(caller: Caller, id: string): Promise<RequestRow | undefined> {
    const [row] = await this.database.query<StoredRequest>(
      `SELECT ${REQUEST_COLUMNS} FROM request WHERE request_key = $1`,
      [id],
    );
    return row && toRequestRow(row, caller);
  }

  private async read(caller: Caller, id: string): Promise<StoredRequest | undefined> {
    if (!isUuid(id)) return undefined;
    const conditions = addVisibility(
      new Conditions().add(id, (key) => `request_key = ${key}`),
      caller,
    );
    const [row] = await this.database.query<StoredRequest>(
      `SELECT ${REQUEST_COLUMNS} FROM request ${conditions.where}`,
      conditions.values,
    );
    return row;
  }
}
