import type { Database, SqlSession } from '@ssb/postgres';
import { LeaseLostError } from '../replica/reader-lease.js';
import { TERM_IS_ACTIVE } from '../replica/replica-lease.js';
import type { OpenRequest, RequestKind, RequestResult } from './request.js';

/** Reads and ends requests. Every write carries the fencing token of the replica that claimed the request. */
export class RequestStore {
  constructor(readonly database: Database) {}

  /** Kinds with open requests. */
  async listOpenKinds(): Promise<RequestKind[]> {
    const rows = await this.database.query<{ kind: RequestKind }>(
      'SELECT DISTINCT kind FROM request WHERE finished_at IS NULL',
    );
    return rows.map(({ kind }) => kind);
  }

  /** Claims the first open request of these kinds. @returns undefined when there is none, or another replica carries it out */
  async claim(term: number, kinds: readonly RequestKind[]): Promise<OpenRequest | undefined> {
    const [row] = await this.database.query<RequestRow>(
      `UPDATE request SET claimed_by = $1
       WHERE request_id = (SELECT request_id FROM request WHERE finished_at IS NULL AND kind = ANY ($2::text[]) ORDER BY request_id LIMIT 1)
         AND finished_at IS NULL AND (claimed_by IS NULL OR claimed_by = $1) AND ${TERM_IS_ACTIVE}
       RETURNING request_id, kind, parameters, author, comment, requested_at, progress`,
      [term, [...kinds]],
    );
    return row && toRequest(row);
  }

  /** Locks the claimed request until the transaction ends. @throws LeaseLostError when another replica may have claimed it */
  async assertClaim(session: SqlSession, term: number, requestId: number): Promise<void> {
    const rows = await session.query(
      `SELECT FROM request WHERE request_id = $2 AND claimed_by = $1 AND finished_at IS NULL AND ${TERM_IS_ACTIVE} FOR UPDATE`,
      [term, requestId],
    );
    if (rows.length === 0) throw new LeaseLostError();
  }

  async saveProgress(session: SqlSession, requestId: number, progress: object): Promise<void> {
    await session.query('UPDATE request SET progress = $2::jsonb WHERE request_id = $1', [
      requestId,
      toJson(progress),
    ]);
  }

  async readProgress(requestId: number): Promise<OpenRequest['progress']> {
    const [row] = await this.database.query<Pick<RequestRow, 'progress'>>(
      'SELECT progress FROM request WHERE request_id = $1',
      [requestId],
    );
    return row?.progress ?? undefined;
  }

  async finish(session: SqlSession, requestId: number, { outcome, result }: RequestResult): Promise<void> {
    await session.query(
      'UPDATE request SET finished_at = clock_timestamp(), outcome = $2, result = $3::jsonb, claimed_by = NULL WHERE request_id = $1',
      [requestId, outcome, result === undefined ? null : toJson(result)],
    );
  }

  /** How the request ended. A lost response to a commit leaves that open. */
  async findResult(requestId: number): Promise<RequestResult | undefined> {
    const [row] = await this.database.query<RequestResult>(
      'SELECT outcome, result FROM request WHERE request_id = $1 AND finished_at IS NOT NULL',
      [requestId],
    );
    return row;
  }
}

interface RequestRow {
  readonly request_id: number;
  readonly kind: RequestKind;
  readonly parameters: unknown;
  readonly author: string;
  readonly comment: string | null;
  readonly requested_at: Date;
  readonly progress: Record<string, unknown> | null;
}

function toRequest(row: RequestRow): OpenRequest {
  const { kind, parameters, author } = row;
  return {
    requestId: row.request_id,
    kind,
    parameters,
    author,
    comment: row.comment ?? undefined,
    requestedAt: row.requested_at,
    progress: row.progress ?? undefined,
  };
}

/** `jsonb` holds no NUL and no lone surrogate. */
function toJson(value: object): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'string' ? Buffer.from(each).toString().replaceAll('\0', '\uFFFD') : each,
  );
}
