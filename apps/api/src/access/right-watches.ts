import type { AccessGrant } from '@ssb/keys';
import type { AccessFile } from './access-file.js';
import type { Caller } from './caller.js';
import { hashSessionId } from './sessions/session-cookie.js';
import type { Sessions } from './sessions/sessions.js';

/** Why the right of a caller ends. `changed`: its entry was removed, or grants something else. */
export type RightEnd = 'expired' | 'changed' | 'signed-out';

/** Where a caller was found. */
export interface Identity {
  /** The same for all requests with these credentials. */
  readonly key: string;
  /** What the credentials grant now, apart from their end; undefined when they grant nothing. */
  readonly currentGrant: () => AccessGrant | undefined;
  /** Of the session that the request belongs to. */
  readonly sessionId?: string;
}

interface Watch {
  readonly caller: Caller;
  readonly identity: Identity;
  readonly end: (reason: RightEnd) => void;
}

/** How soon a response that lasts ends after a sign-out at another replica. */
const SESSION_CHECK_MS = 5_000;
/** The longest time that a timer of Node takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Callers whose responses last, until their right ends. */
export class RightWatches {
  private readonly watches = new Set<Watch>();

  constructor(
    file: AccessFile,
    private readonly sessions: Sessions,
  ) {
    file.onChange(() => this.endChanged());
    sessions.onEnd((hash) => this.endSession(hash));
  }

  /**
   * Calls `onEnded` once, when the right of the caller ends.
   * @returns ends the watch
   */
  add(caller: Caller, identity: Identity, onEnded: (reason: RightEnd) => void): () => void {
    let timer: NodeJS.Timeout | undefined;
    const sessionTimer = this.checkSession(identity, () => watch.end('signed-out'));
    const stop = (): void => {
      clearTimeout(timer);
      clearInterval(sessionTimer);
      this.watches.delete(watch);
    };
    const watch: Watch = {
      caller,
      identity,
      end: (reason) => {
        stop();
        onEnded(reason);
      },
    };
    const check = (): void => {
      const reason = findEnd(watch);
      if (reason !== undefined) return watch.end(reason);
      const restMs = (caller.expiresAt ?? Infinity) - Date.now();
      timer = setTimeout(check, Math.min(Math.max(1, restMs), MAX_TIMER_MS)).unref();
    };
    this.watches.add(watch);
    // The right may have ended since the caller was identified.
    timer = setTimeout(check, 0);
    return stop;
  }

  /** Looks regularly whether a session has ended at another replica. Undefined for other credentials. */
  private checkSession({ sessionId }: Identity, onEnded: () => void): NodeJS.Timeout | undefined {
    if (sessionId === undefined) return undefined;
    const check = async (): Promise<void> => {
      if ((await this.sessions.find(sessionId)) === undefined) onEnded();
    };
    // While the database does not respond, the response itself ends.
    return setInterval(() => void check().catch(() => undefined), SESSION_CHECK_MS).unref();
  }

  private endSession(hash: string): void {
    for (const { identity, end } of this.watches)
      if (identity.sessionId !== undefined && hashSessionId(identity.sessionId) === hash) end('signed-out');
  }

  private endChanged(): void {
    for (const watch of this.watches) {
      const reason = findEnd(watch);
      if (reason !== undefined) watch.end(reason);
    }
  }
}

function findEnd({ caller, identity }: Watch): RightEnd | undefined {
  if ((caller.expiresAt ?? Infinity) <= Date.now()) return 'expired';
  const grant = identity.currentGrant();
  return grant !== undefined && isSameGrant(grant, caller) ? undefined : 'changed';
}

function isSameGrant(one: AccessGrant, other: Caller): boolean {
  return one.name === other.name && one.role === other.role && toKey(one) === toKey(other);
}

const toKey = ({ participants }: Pick<Caller, 'participants'>): string =>
  JSON.stringify(participants === 'all' ? participants : participants.toSorted());
