import { intervalAfter } from '../detection/schedule/intervals.js';

const MAX_PAUSE_MS = 600_000;
/** A store that failed for this time is reported. One that is full is reported at once. */
const REPORT_AFTER_MS = 300_000;

interface Pause {
  readonly since: Date;
  readonly attempts: number;
  readonly until: Date;
  readonly detail: string;
  readonly isFull: boolean;
}

/** The store failed or is full, so no document is fetched for a while. */
export class StorePause {
  private pause: Pause | undefined;

  constructor(private readonly retryMs: number) {}

  /** @returns the number of failures in a row */
  begin(detail: string, isFull: boolean, now: Date): number {
    const attempts = (this.pause?.attempts ?? 0) + 1;
    const pauseMs = intervalAfter(attempts, MAX_PAUSE_MS, this.retryMs);
    const until = new Date(now.getTime() + pauseMs);
    this.pause = { since: this.pause?.since ?? now, attempts, until, detail, isFull };
    return attempts;
  }

  end(): void {
    this.pause = undefined;
  }

  /** Whether the store did not work when it was used last. */
  isKnown(): boolean {
    return this.pause !== undefined;
  }

  isLasting(now: Date): boolean {
    return this.pause !== undefined && this.pause.until > now;
  }

  /** Why documents are left out; undefined while that is not reported. */
  reported(now: Date): string | undefined {
    if (this.pause === undefined) return undefined;
    const { isFull, since, detail } = this.pause;
    return isFull || now.getTime() - since.getTime() >= REPORT_AFTER_MS ? detail : undefined;
  }
}
