import { readAuthenticatedText, toAuthenticatedText } from '@ssb/keys';
import { isWrongTypeError } from '../redis/connection-errors.js';
import type { FaultReporter } from '@ssb/faults';
import { QUEUE_UNAVAILABLE } from './queue-outage.js';
import type { RedisFaultStoreOptions } from './redis-fault-store.js';

export interface RedisMonitorOptions extends RedisFaultStoreOptions {
  readonly faults: Pick<FaultReporter, 'raise' | 'clear'>;
  /** How long Redis may accept no write. */
  readonly unavailableAfterMs: number;
  /** Called at the first write of this process, when no process of the app wrote for that long before. */
  readonly onEarlierOutage: (since: Date) => void;
}

const CHECKS_BEFORE_REPORT = 5;

/** Reports `queue-unavailable` while Redis accepts no writes. A ping would not show a full or read-only Redis. */
export class RedisMonitor {
  private timer: NodeJS.Timeout | undefined;
  /** Counted in checks and not in time, because a suspended process makes none. */
  private checksWithoutWrite = 0;
  private writing = false;
  /** From the first write or report on, the end of an outage is reported as that of a fault. */
  private knowsState = false;
  private lastError = 'no response';

  constructor(private readonly options: RedisMonitorOptions) {}

  start(): void {
    this.timer = setInterval(() => this.check(), this.options.unavailableAfterMs / CHECKS_BEFORE_REPORT);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private check(): void {
    if (!this.writing) void this.write();
    const { faults, unavailableAfterMs } = this.options;
    this.checksWithoutWrite += 1;
    if (this.checksWithoutWrite <= CHECKS_BEFORE_REPORT) return;
    const detail = `Redis accepted no write for ${unavailableAfterMs} ms: ${this.lastError}.`;
    this.knowsState = true;
    faults.raise({ ...QUEUE_UNAVAILABLE, detail });
  }

  /** An earlier run may have posted an outage, and ended in it. A planned stop of the app looks the same. */
  private async checkEarlierOutage(key: string, previous: string | null): Promise<void> {
    if (this.knowsState) return;
    const { authenticator, onDiscarded, unavailableAfterMs, onEarlierOutage } = this.options;
    const verified =
      previous === null ? undefined : await readAuthenticatedText(authenticator, key, previous);
    if (verified?.ok === false) onDiscarded([{ field: '', reason: verified.reason }]);
    const writtenAt = Number(verified?.content);
    const isOutage = writtenAt > 0 && Date.now() - writtenAt > unavailableAfterMs;
    if (isOutage && !this.knowsState) onEarlierOutage(new Date(writtenAt));
    this.knowsState = true;
  }

  private async write(): Promise<void> {
    const { redis, prefix, app, authenticator, onDiscarded, faults } = this.options;
    this.writing = true;
    try {
      const key = `${prefix}:alerts:${app}:check`;
      const text = toAuthenticatedText(authenticator, key, String(Date.now()));
      const previous = await redis.set(key, text, 'GET').catch(async (error: unknown) => {
        if (!isWrongTypeError(error)) throw error;
        // Replaces a value of any type.
        await redis.set(key, text);
        onDiscarded([{ field: '', reason: 'malformed' }]);
        return null;
      });
      this.checksWithoutWrite = 0;
      await this.checkEarlierOutage(key, previous);
      faults.clear(QUEUE_UNAVAILABLE);
    } catch (error) {
      this.lastError = describe(error);
    } finally {
      this.writing = false;
    }
  }
}

/** The code of an error of Redis, such as OOM, READONLY or ECONNREFUSED. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { code } = error as NodeJS.ErrnoException;
  return code ?? /^[A-Z]{2,}\b/.exec(error.message)?.[0] ?? error.name;
}
