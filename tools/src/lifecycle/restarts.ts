import { setTimeout as delay } from 'node:timers/promises';

export interface RestartsOptions {
  /** As it is printed. */
  readonly name: string;
  readonly start: () => Promise<void>;
  readonly print: (text: string) => void;
  /** Failures in a row after which no further start is attempted. Default: it is attempted until `stop`. */
  readonly maxFailures?: number;
  readonly onGiveUp?: (reason: string) => void;
  /** Delays before the first start, the second and so on; the last one before all further ones. */
  readonly delaysMs?: readonly number[];
}

const DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];
/** A process that ran this long was sound, so its end is the first failure. */
const STABLE_MS = 60_000;

/** Starts a process again that ended by itself, with growing delays. Each end, each failed start and the success are printed. */
export class Restarts {
  private readonly stopping = new AbortController();
  private restarting: Promise<void> | undefined;
  private failures = 0;
  private startedAt = Date.now();

  constructor(private readonly options: RestartsOptions) {}

  /** Called when the process has ended. Ignored during a restart, whose `start` rejects instead, and after `stop`. */
  ended(reason: string): void {
    if (this.stopping.signal.aborted || this.restarting !== undefined) return;
    if (Date.now() - this.startedAt >= STABLE_MS) this.failures = 0;
    this.restarting = this.restart(`${this.options.name} ended unexpectedly (${reason}).`).finally(() => {
      this.restarting = undefined;
    });
  }

  /** No start is attempted any more. A start that is in progress continues. */
  stop(): void {
    this.stopping.abort();
  }

  /** Resolves when no start is in progress. */
  async idle(): Promise<void> {
    await this.restarting;
  }

  private async restart(firstReason: string): Promise<void> {
    const { name, start, print, maxFailures = Infinity, onGiveUp, delaysMs = DELAYS_MS } = this.options;
    const { signal } = this.stopping;
    for (let reason = firstReason; !signal.aborted;) {
      this.failures += 1;
      if (this.failures > maxFailures) {
        this.stop();
        return onGiveUp?.(reason);
      }
      const waitMs = delaysMs[Math.min(this.failures, delaysMs.length) - 1] ?? 0;
      print(`${reason} It is started again in ${waitMs / 1_000} s.`);
      const isOver = await delay(waitMs, true, { signal }).catch(() => false);
      if (!isOver) return;
      try {
        await start();
        this.startedAt = Date.now();
        return print(`${name} runs again.`);
      } catch (error) {
        reason = `${name} could not be started: ${(error instanceof Error ? error.message : String(error)).trimEnd()}\n `;
      }
    }
  }
}
