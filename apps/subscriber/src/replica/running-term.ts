import { uptime } from 'node:os';
import { performance } from 'node:perf_hooks';

/** A period during which no other replica takes over the claims of this one. */
export interface Term {
  /** Fencing token, greater than that of every earlier term of any replica. Every claim carries it. */
  readonly token: number;
  /** Aborted when the term has ended or may have ended. */
  readonly ended: AbortSignal;
  /** False as soon as the term may have ended, even directly after the process or machine was suspended. */
  isActive(): boolean;
  /** Called when the database refuses a write because the term has ended. Ends it; the next one starts at once. */
  reportLost(): void;
}

/** The replica ends its term this share of the time to live before others may take over. */
const SAFETY_MARGIN = 0.1;

/** A term that ends unless it is extended in time. */
export class RunningTerm implements Term {
  private readonly controller = new AbortController();
  private until = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly token: number,
    private readonly onLost: () => void,
  ) {}

  get ended(): AbortSignal {
    return this.controller.signal;
  }

  isActive(): boolean {
    return !this.ended.aborted && steadyNow() < this.until;
  }

  reportLost(): void {
    this.onLost();
  }

  /** @param requestedAt `steadyNow()` before the request to the database */
  extend(requestedAt: number, ttlMs: number): void {
    if (this.ended.aborted) return;
    this.until = requestedAt + ttlMs * (1 - SAFETY_MARGIN);
    clearTimeout(this.timer);
    this.timer = setTimeout(this.onLost, Math.max(0, this.until - steadyNow()));
  }

  end(): void {
    clearTimeout(this.timer);
    this.controller.abort();
  }
}

const monotonicStart = performance.now();
const uptimeStart = uptime();

/** Elapsed milliseconds. The uptime continues while the machine is suspended; the monotonic clock does not. */
export function steadyNow(): number {
  return Math.max(performance.now() - monotonicStart, (uptime() - uptimeStart) * 1000);
}
