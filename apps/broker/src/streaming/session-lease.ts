import { randomUUID } from 'node:crypto';
import type { SessionRegister } from '../storage/redis/session.store.js';

/**
 * One subscription's claim to speak for its (identity, client id). A claim that was given up is never made good later: Redis may answer
 * long after the client has gone, and the newest living subscription must not stop for a dead one.
 */
export class SessionHold {
  /** The session has been taken; whether it still is, `confirm` says. */
  taken = false;
  private readonly id = randomUUID();
  private asked = false;
  private isGivenUp = false;
  private asking: Promise<unknown> = Promise.resolve();
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly sessions: SessionRegister,
    private readonly session: string,
    /** Called now and then once it is taken: it lapses when it is not confirmed. */
    private readonly onDue: () => void,
  ) {}

  /** Takes the session from whoever holds it. Does nothing once it is given up. @throws EngineUnavailableError */
  async take(): Promise<void> {
    if (this.isGivenUp) return;
    this.asked = true;
    await this.under(this.sessions.take(this.session, this.id));
    this.taken = true;
    this.renewal ??= setInterval(this.onDue, this.sessions.renewEveryMs).unref();
    // It may have been given up while Redis was asked.
    if (this.isGivenUp) clearInterval(this.renewal);
  }

  /** Whether no newer subscription holds the session; false once it is given up. @throws EngineUnavailableError */
  async confirm(): Promise<boolean> {
    if (this.isGivenUp) return false;
    return this.under(this.sessions.confirm(this.session, this.id));
  }

  /** Gives the session up, after what is under way. Harmless when repeated. @throws EngineUnavailableError */
  async release(): Promise<void> {
    this.isGivenUp = true;
    clearInterval(this.renewal);
    await this.asking;
    // Also when taking it failed: Redis may have done it and the answer been lost.
    if (this.asked) await this.sessions.release(this.session, this.id);
  }

  private under<T>(work: Promise<T>): Promise<T> {
    this.asking = work.catch(() => undefined);
    return work;
  }
}
