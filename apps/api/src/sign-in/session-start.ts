import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, Metrics, SETTINGS, TokenBuckets, type Logger } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator } from '../access/authenticator.js';
import { CallerLimits } from '../access/caller-limits.js';
import { formatCookie, readCookie, SESSION_COOKIE } from '../access/sessions/session-cookie.js';
import { personOf, type SessionIdentity } from '../access/sessions/session-identity.js';
import { Sessions } from '../access/sessions/sessions.js';
import { onceClosed } from '../http/once-closed.js';
import { METRICS } from '../metrics.js';
import type { Settings } from '../settings.js';
import type { SignInFailure } from './sign-in-failure.js';
import { SignInLimits } from './sign-in-limits.js';

const HOUR_MS = 3_600_000;
/** Failures of one kind and reason that are logged: ten at once, then ten a minute. The metric counts all. */
const LOGGED_FAILURES = { capacity: 10, refillMs: 6_000 };

/** Who has signed in. */
export interface SignedIn {
  /** For the log. */
  readonly name: string;
  readonly identity: SessionIdentity;
  /** The end of the access token, epoch milliseconds. The session may end earlier. */
  readonly expiresAt?: number;
  /** Hash of a session that this one replaces, besides that of the cookie. */
  readonly previousSession?: string;
}

/** Begins and ends sessions in browsers. */
@Injectable()
export class SessionStart {
  private readonly signIns;
  private readonly logged = new TokenBuckets(LOGGED_FAILURES);

  constructor(
    private readonly sessions: Sessions,
    private readonly authenticator: Authenticator,
    private readonly callerLimits: CallerLimits,
    private readonly limits: SignInLimits,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    this.signIns = metrics.counter(METRICS.signIns);
  }

  /** Begins a session, in place of one that the browser has. @throws ProblemException 429, 503 */
  async begin(
    request: FastifyRequest,
    reply: FastifyReply,
    { name, identity, expiresAt, previousSession }: SignedIn,
  ): Promise<void> {
    const { kind } = identity;
    this.admit(reply, personOf(identity));
    const now = Date.now();
    const end = Math.min(now + this.settings.SESSION_HOURS * HOUR_MS, expiresAt ?? Infinity);
    const replaced = [previousSession, await this.findSession(request)].filter((hash) => hash !== undefined);
    const id = await this.sessions.create(identity, end, replaced);
    const seconds = Math.floor((end - now) / 1_000);
    // Fastify sends each cookie of a response in a header of its own.
    void reply.header('set-cookie', formatCookie(SESSION_COOKIE, id, 'Strict', seconds));
    this.signIns.inc({ kind, outcome: 'succeeded' });
    this.log.info({ kind, by: name }, 'signed in');
  }

  /** The hash of the session that the browser has, which may have ended. */
  async findSession({ headers }: FastifyRequest): Promise<string | undefined> {
    const id = readCookie(headers.cookie, SESSION_COOKIE);
    return id === undefined ? undefined : this.sessions.hashOf(id);
  }

  /** Ends the session of the browser, and then its cookie. */
  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = readCookie(request.headers.cookie, SESSION_COOKIE);
    const session = id === undefined ? undefined : await this.sessions.end(id);
    void reply.header('set-cookie', formatCookie(SESSION_COOKIE, '', 'Strict', 0));
    const name = session && this.authenticator.nameOf(session.identity);
    if (name !== undefined) this.log.info({ by: name }, 'signed out');
  }

  /** @param detail says more than the response */
  reportFailure(kind: SessionIdentity['kind'], reason: SignInFailure, detail: string): void {
    this.signIns.inc({ kind, outcome: reason });
    // Anyone can open the address of the return.
    if (reason === 'expired') this.log.debug({ kind, reason, detail }, 'sign-in failed');
    else if (this.isLogged(`${kind} ${reason}`)) this.log.warn({ kind, reason, detail }, 'sign-in failed');
  }

  /** Counts as a request of the person, and as a sign-in. */
  private admit(reply: FastifyReply, person: string): void {
    this.callerLimits.take(person);
    onceClosed(reply.raw, this.callerLimits.start(person));
    this.limits.takePerson(person);
  }

  private isLogged(name: string): boolean {
    const now = performance.now();
    if (this.logged.waitFor(name, now) > 0) return false;
    this.logged.take(name, now);
    return true;
  }
}
