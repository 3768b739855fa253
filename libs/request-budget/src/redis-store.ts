import type { Redis } from 'ioredis';
import type { BudgetStore } from './budget-store.js';
import { type BudgetWindow, checkWindows } from './domain/windows.js';
import { PAUSE, REDIS_CLOCK, SETTLE, TAKE } from './scripts.js';

export interface RedisBudgetOptions {
  readonly redis: Redis;
  /** Names the budget; replicas that share it give the same name and the same windows. */
  readonly name: string;
  readonly windows: readonly BudgetWindow[];
}

/**
 * The budget that all replicas share. Redis decides by its own clock, in one script. A Redis that lost its last second of writes (append-only
 * file, synced every second) has forgotten the requests of that second, and no more.
 */
export class RedisBudgetStore implements BudgetStore {
  private readonly taken: string;
  private readonly paused: string;
  private readonly windows: readonly number[];

  /** @throws InvalidBudgetError */
  constructor(private readonly options: RedisBudgetOptions) {
    checkWindows(options.windows);
    ({ taken: this.taken, paused: this.paused } = budgetKeys(options.name));
    this.windows = options.windows.flatMap(({ requests, ms }) => [requests, ms]);
  }

  async take(id: string, holdMs: number): Promise<number> {
    return Number(await this.run(REDIS_CLOCK + TAKE, id, holdMs, ...this.windows));
  }

  async settle(id: string): Promise<void> {
    await this.run(REDIS_CLOCK + SETTLE, id);
  }

  async pause(ms: number): Promise<void> {
    if (ms > 0) await this.run(PAUSE, Math.ceil(ms));
  }

  private run(script: string, ...values: (string | number)[]): Promise<unknown> {
    return this.options.redis.eval(script, 2, this.taken, this.paused, ...values);
  }
}

/** The braces are a hash tag: both keys of a budget lie in one slot of a cluster. */
export function budgetKeys(name: string): { readonly taken: string; readonly paused: string } {
  return { taken: `bridge:budget:{${name}}:taken`, paused: `bridge:budget:{${name}}:paused` };
}
