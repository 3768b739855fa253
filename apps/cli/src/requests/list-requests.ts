import { Conditions, type Database } from '@ssb/postgres';
import { RequestError } from './subscriber-database.js';

/** SQL: a row of `request` is in the state. */
const STATE_CONDITIONS = {
  waiting: 'outcome IS NULL AND claimed_by IS NULL',
  running: 'outcome IS NULL AND claimed_by IS NOT NULL',
  done: `outcome = 'done'`,
  refused: `outcome = 'refused'`,
  failed: `outcome = 'failed'`,
} as const;

export type RequestState = keyof typeof STATE_CONDITIONS;
export const REQUEST_STATES = Object.keys(STATE_CONDITIONS) as readonly RequestState[];

const STATE = `CASE ${Object.entries(STATE_CONDITIONS)
  .map(([state, condition]) => `WHEN ${condition} THEN '${state}'`)
  .join(' ')} END`;

export interface ListedRequest {
  readonly requestId: number;
  readonly kind: string;
  readonly state: RequestState;
  readonly requestedAt: Date;
  readonly endedAt: Date | null;
  readonly author: string;
  readonly comment: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly progress: Readonly<Record<string, unknown>> | null;
  readonly result: Readonly<Record<string, unknown>> | null;
}

export interface RequestFilter {
  readonly states?: readonly string[] | undefined;
  readonly author?: string | undefined;
  readonly limit: number;
}

const COLUMNS = `request_id AS "requestId", kind, ${STATE} AS state, requested_at AS "requestedAt", finished_at AS "endedAt", author, comment,
  parameters, progress, result`;

/** The newest first. */
export async function listRequests(
  database: Database,
  { states, author, limit }: RequestFilter,
): Promise<{ readonly requests: readonly ListedRequest[]; readonly more: boolean }> {
  const conditions = new Conditions()
    .add(states, (list) => `${STATE} = ANY (${list}::text[])`)
    .add(author, (name) => `author = ${name}`);
  const rows = await database.query<ListedRequest>(
    `SELECT ${COLUMNS} FROM request ${conditions.where} ORDER BY request_id DESC LIMIT ${conditions.parameter(limit + 1)}`,
    conditions.values,
  );
  return { requests: rows.slice(0, limit), more: rows.length > limit };
}

/** @throws RequestError when there is none */
export async function findRequest(database: Database, requestId: number): Promise<ListedRequest> {
  const [request] = await database.query<ListedRequest>(
    `SELECT ${COLUMNS} FROM request WHERE request_id = $1`,
    [requestId],
  );
  if (request === undefined)
    throw new RequestError(`There is no request ${requestId}. "busbridge requests list" shows the numbers.`);
  return request;
}

/** A row of the audit table. */
export interface AuditedStep {
  readonly at: Date;
  readonly step: string;
  readonly author: string;
  readonly databaseRole: string;
  readonly result: Readonly<Record<string, unknown>> | null;
}

/** What the audit table has of a request, in order. */
export function listAuditedSteps(
  database: Database,
  { requestId, requestedAt }: ListedRequest,
): Promise<readonly AuditedStep[]> {
  // The audit table has an index of its times only.
  return database.query<AuditedStep>(
    `SELECT at, step, author, database_role AS "databaseRole", result FROM audit
     WHERE request_id = $1 AND at >= $2::timestamptz - interval '1 minute' ORDER BY audit_id`,
    [requestId, requestedAt],
  );
}
