import { randomUUID } from 'node:crypto';
import type { SessionStore } from '../storage/redis/session.store.js';

/**
 * One subscription's lease of the session of its identity and client id.
 * It acquires nothing after its release, because an ended subscription must not replace an active one.
 */
export class SessionLease {
  /** Whether the session was taken. `confirm` returns whether it still is. */
  isTaken = false;
  private readonly id = randomUUID();
  private isRequested = false;
  private isReleased = false;
  private lastRequest: Promise<unknown> = Promise.resolve();
  private renewalTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sessions: SessionStore,
    private readonly session: string,
    /** Called at intervals after the session was taken. The session expires unless `confirm` is called. */
    private readonly onRenewalDue: () => void,
  ) {}

  /** Takes the session from any holder. Does nothing after the release. @throws EngineUnavailableError */
  async take(): Promise<void> {
    if (this.isReleased) return;
    this.isRequested = true;
    await this.track(this.sessions.take(this.session, this.id));
    this.isTaken = true;
    this.renewalTimer ??= setInterval(this.onRenewalDue, this.sessions.renewalIntervalMs).unref();
    // `release` may have been called while the request was in flight.
    if (this.isReleased) clearInterval(this.renewalTimer);
  }

  /** Whether no newer subscription holds the session; false after the release. @throws EngineUnavailableError */
  async confirm(): Promise<boolean> {
    if (this.isReleased) return false;
    return this.track(this.sessions.confirm(this.session, this.id));
  }

  /** Releases the session after the request in flight; idempotent. @throws EngineUnavailableError */
  async release(): Promise<void> {
    this.isReleased = true;
    clearInterval(this.renewalTimer);
    await this.lastRequest;
    // Redis may have executed a request that failed here.
    if (this.isRequested) await this.sessions.release(this.session, this.id);
  }

  private track<T>(request: Promise<T>): Promise<T> {
    this.lastRequest = request.catch(() => undefined);
    return request;
  }
}
