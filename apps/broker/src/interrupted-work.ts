import { createContext, Script } from 'node:vm';
import type { Logger } from '@ssb/platform';
import type { TimeLimit } from './domain/time-limit.js';

/** After work took too long its kind rests for this many times as long: it has two hundredths of the time at most. */
const REST = 100;

/** Kinds that are remembered to rest; beyond it the one that began to rest first is let in again. */
const MOST_RESTING = 100;

/** V8 asks a running regular expression, or a loop, to stop only for a script's time limit, so the work is called from a script. */
const CALL = new Script('work()');

/**
 * Work on this thread, ended by V8 when its time is over (`timeout` of `vm.Script`). Starting the watch costs some 0.1 ms, which is why
 * small work is done without. V8's clock goes on while the machine has no time for us: work that had not even half of its time on a
 * processor is begun once more.
 */
export class InterruptedWork implements TimeLimit {
  private readonly context: { work?: () => unknown } = {};
  /** When each kind may be begun again, milliseconds of the clock. */
  private readonly resting = new Map<string, number>();

  /**
   * @param limitMs longest time of one piece of work
   * @param clock milliseconds that never go back
   * @param processor milliseconds that this process has had of a processor
   */
  constructor(
    private readonly limitMs: number,
    private readonly clock: () => number,
    private readonly log: Logger,
    private readonly processor: () => number = processorMs,
  ) {
    createContext(this.context);
  }

  run<T>(kind: string, work: () => T): { readonly value: T } | undefined {
    if (this.rests(kind)) return undefined;
    const began = this.processor();
    const outcome = this.attempt(work);
    if (outcome !== undefined) return outcome;
    const again = this.processor() - began < this.limitMs / 2 ? this.attempt(work) : undefined;
    if (again === undefined) this.rest(kind);
    return again;
  }

  /** Nothing when its time was over. */
  private attempt<T>(work: () => T): { readonly value: T } | undefined {
    let outcome: { readonly value: T } | undefined;
    this.context.work = () => {
      outcome = { value: work() };
    };
    try {
      CALL.runInContext(this.context, { timeout: this.limitMs });
    } catch (error) {
      if (!isTimeOut(error)) throw error;
      return undefined;
    } finally {
      delete this.context.work;
    }
    return outcome;
  }

  private rests(kind: string): boolean {
    const until = this.resting.get(kind);
    if (until === undefined) return false;
    if (this.clock() < until) return true;
    this.resting.delete(kind);
    return false;
  }

  private rest(kind: string): void {
    const restMs = REST * this.limitMs;
    const [oldest] = this.resting.keys();
    if (oldest !== undefined && this.resting.size >= MOST_RESTING) this.resting.delete(oldest);
    this.resting.set(kind, this.clock() + restMs);
    this.log.warn({ limitMs: this.limitMs, restMs }, 'a topic schema took too long and rests for a while');
  }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function isTimeOut(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
