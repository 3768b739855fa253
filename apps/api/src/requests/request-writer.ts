import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { LOGGER, ProblemException, type Logger } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import type { Caller } from '../access/caller.js';
import type { RequestRow } from './request-dto.js';
import { REQUEST_COLUMNS, RequestQueries } from './request-queries.js';
import { toRequestRow, type StoredRequest } from './shown-request.js';
import type { Wait } from './wait.js';

/** What a caller requests. It must be allowed to know of everything that the parameters name. */
export interface NewRequest {
  readonly kind: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly comment?: string | undefined;
}

const POLL_INTERVAL_MS = 100;
/** Callers that wait at once. Further ones get the request as it is. */
const MAX_WAITING = 200;
/** SQLSTATE of the trigger that limits the open requests. */
const LIMIT_EXCEEDED = '53400';

/** Adds requests of people, and waits until the subscriber has carried them out. */
@Injectable()
export class RequestWriter implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private waiting = 0;

  constructor(
    private readonly database: Database,
    private readonly queries: RequestQueries,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  /**
   * @returns the request, which is done when it ended in time
   * @throws ProblemException 409 when it was refused, 502 when it failed, 503 when too many are open
   */
  async add(caller: Caller, { kind, parameters, comment }: NewRequest, wait: Wait): Promise<RequestRow> {
    const [row] = await this.database
      .query<StoredRequest>(
        `INSERT INTO request (kind, parameters, author, comment) VALUES ($1, $2::jsonb, $3, $4) RETURNING ${REQUEST_COLUMNS}`,
        [kind, JSON.stringify(parameters), caller.name, comment ?? null],
      )
      .catch((error: unknown) => {
        throw isLimitExceeded(error) ? tooManyRequests() : error;
      });
    if (row === undefined) throw new Error('the insert returned no row');
    return requireNotRefused(await this.findEnded(caller, toRequestRow(row, caller), wait));
  }

  /** The request after the wait. It is stored, so a failure to read it again is not a failure of the request. */
  private async findEnded(caller: Caller, stored: RequestRow, wait: Wait): Promise<RequestRow> {
    if (wait.seconds === 0) return stored;
    try {
      await this.waitForEnd(stored.id, wait);
      return (await this.queries.findOwn(caller, stored.id)) ?? stored;
    } catch (err) {
      this.log.warn({ err, requestId: stored.id }, 'request not read');
      return stored;
    }
  }

  /** Waits until the request has ended, or the time is over. */
  async waitForEnd(id: string, { seconds, signal }: Wait): Promise<void> {
    if (seconds === 0 || this.waiting >= MAX_WAITING) return;
    const end = Date.now() + seconds * 1_000;
    const stopped = AbortSignal.any([signal, this.stopping.signal]);
    this.waiting += 1;
    try {
      while (!stopped.aborted && Date.now() < end && (await this.isOpen(id)))
        await pause(POLL_INTERVAL_MS, undefined, { signal: stopped }).catch(() => undefined);
    } finally {
      this.waiting -= 1;
    }
  }

  private async isOpen(id: string): Promise<boolean> {
    const rows = await this.database.query(
      'SELECT FROM request WHERE request_key = $1 AND finished_at IS NULL',
      [id],
    );
    return rows.length > 0;
  }
}

/** @throws ProblemException */
function requireNotRefused(request: RequestRow): RequestRow {
  const { id, state, result } = request;
  if (state !== 'refused' && state !== 'failed') return request;
  const [status, title] = state === 'refused' ? [409, 'Refused'] : [502, 'Failed'];
  const reason = result?.['reason'];
  throw new ProblemException(
    status,
    title,
    typeof reason === 'string' ? reason : `The request was ${state}. /v1/requests/${id} shows it.`,
    { request: id },
  );
}

const tooManyRequests = (): ProblemException =>
  new ProblemException(
    503,
    'Service unavailable',
    'There are 1000 open requests already. Send it again when the subscriber has carried them out.',
  );

const isLimitExceeded = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === LIMIT_EXCEEDED;
