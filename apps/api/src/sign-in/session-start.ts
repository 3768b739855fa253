import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatCookie, readCookie, SESSION_COOKIE } from '../access/sessions/session-cookie.js';
import type { SessionIdentity } from '../access/sessions/session-identity.js';
import { Sessions } from '../access/sessions/sessions.js';
import { METRICS } from '../metrics.js';
import type { Settings } from '../settings.js';
import type { SignInFailure } from './sign-in-error.js';

const HOUR_MS = 3_600_000;

/** Who has signed in. */
export interface SignedIn {
  /** For the log. */
  readonly name: string;
  readonly identity: SessionIdentity;
  /** The end of the access token, epoch milliseconds. The session may end earlier. */
  readonly expiresAt?: number;
}

/** Begins and ends sessions in browsers. */
@Injectable()
export class SessionStart {
  private readonly signIns;

  constructor(
    private readonly sessions: Sessions,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    this.signIns = metrics.counter(METRICS.signIns);
  }

  /** Begins a session, in place of one that the browser has. @throws ProblemException 503 */
  async begin(
    request: FastifyRequest,
    reply: FastifyReply,
    { name, identity, expiresAt }: SignedIn,
  ): Promise<void> {
    const { kind } = identity;
    const now = Date.now();
    const end = Math.min(now + this.settings.SESSION_HOURS * HOUR_MS, expiresAt ?? Infinity);
    const previous = readCookie(request.headers.cookie, SESSION_COOKIE);
    if (previous !== undefined) await this.sessions.end(previous);
    const id = await this.sessions.create(identity, end);
    const seconds = Math.floor((end - now) / 1_000);
    // Fastify sends each cookie of a response in a header of its own.
    void reply.header('set-cookie', formatCookie(SESSION_COOKIE, id, 'Strict', seconds));
    this.signIns.inc({ kind, outcome: 'succeeded' });
    this.log.info({ kind, by: name }, 'signed in');
  }

  /** Ends the session of the browser. */
  async end(id: string, name: string | undefined): Promise<void> {
    if ((await this.sessions.find(id)) !== undefined) await this.sessions.end(id);
    if (name !== undefined) this.log.info({ by: name }, 'signed out');
  }

  /** @param detail says more than the response */
  reportFailure(kind: SessionIdentity['kind'], reason: SignInFailure, detail: string): void {
    this.signIns.inc({ kind, outcome: reason });
    this.log.warn({ kind, reason, detail }, 'sign-in failed');
  }
}
