import type { BudgetStore } from './budget-store.js';
import { type BudgetWindow, assertValidWindows } from './budget-window.js';
import type { RedisConnection } from '../redis/servers.js';

/*
 * Each step is one Lua script.
 * KEYS[1]: sorted set of the requests; score = latest possible arrival (`budget-window.ts`), epoch milliseconds.
 * KEYS[2]: exists during a pause and expires by itself.
 */

/** The clock of Redis, because those of the replicas may differ. Rounding never lets a request be sent too early. */
export const REDIS_CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ended = time[1] * 1000 + math.ceil(time[2] / 1000)
`;

/** ARGV: id, hold (ms), then number and milliseconds of each window. Returns 0 when the request is counted, else the wait in ms. */
export const ACQUIRE = `
local paused = redis.call('PTTL', KEYS[2])
if paused > 0 then return paused end
local wait, longest = 0, 0
for i = 3, #ARGV, 2 do
  local requests, ms = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
  longest = math.max(longest, ms)
  local blocking = redis.call('ZRANGE', KEYS[1], -requests, -requests, 'WITHSCORES')[2]
  if blocking then wait = math.max(wait, math.min(tonumber(blocking), now) + ms - now) end
end
if wait > 0 then return wait end
if longest == 0 then return 0 end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - longest))
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', longest + ARGV[2]))
return 0`;

/** ARGV: id. */
export const RELEASE = `
local latest = redis.call('ZSCORE', KEYS[1], ARGV[1])
if latest and tonumber(latest) > ended then redis.call('ZADD', KEYS[1], string.format('%.0f', ended), ARGV[1]) end
return 0`;

/** ARGV: milliseconds of each window. Returns the number of requests that count in each. */
const USAGE = `
local used = {}
for i = 1, #ARGV do used[i] = redis.call('ZCOUNT', KEYS[1], string.format('(%.0f', now - ARGV[i]), '+inf') end
return used`;

/** ARGV: milliseconds. */
const PAUSE = `
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[2], '1', 'PX', ARGV[1]) end
return 0`;

export interface RedisBudgetOptions {
  readonly redis: RedisConnection;
  /** Prefix of the keys. Budgets with different prefixes are independent. */
  readonly prefix: string;
  /** Name of the budget. Replicas that share it use the same name and the same windows. */
  readonly name: string;
  readonly windows: readonly BudgetWindow[];
}

/** The budget of all replicas. A Redis that loses its last second of writes forgets only the requests of that second. */
export class RedisBudgetStore implements BudgetStore {
  private readonly taken: string;
  private readonly paused: string;
  private readonly windows: readonly number[];

  /** @throws InvalidBudgetError */
  constructor(private readonly options: RedisBudgetOptions) {
    assertValidWindows(options.windows);
    ({ taken: this.taken, paused: this.paused } = budgetKeys(options.prefix, options.name));
    this.windows = options.windows.flatMap(({ requests, ms }) => [requests, ms]);
  }

  async tryAcquire(id: string, holdMs: number): Promise<number> {
    return Number(await this.run(REDIS_CLOCK + ACQUIRE, id, holdMs, ...this.windows));
  }

  async release(id: string): Promise<void> {
    await this.run(REDIS_CLOCK + RELEASE, id);
  }

  /** How many requests of all replicas count in each window. */
  async usage(): Promise<readonly (BudgetWindow & { readonly used: number })[]> {
    const { windows } = this.options;
    const used = await this.run(REDIS_CLOCK + USAGE, ...windows.map(({ ms }) => ms));
    return windows.map((window, index) => ({ ...window, used: Number((used as unknown[])[index]) }));
  }

  async pause(ms: number): Promise<void> {
    if (ms > 0) await this.run(PAUSE, Math.ceil(ms));
  }

  private run(script: string, ...values: (string | number)[]): Promise<unknown> {
    return this.options.redis.eval(script, 2, this.taken, this.paused, ...values);
  }
}

/** A prefix in braces is a hash tag: both keys of a budget are in one slot of a cluster. */
export function budgetKeys(
  prefix: string,
  name: string,
): { readonly taken: string; readonly paused: string } {
  const base = `${prefix}:budget:${name}`;
  return { taken: `${base}:taken`, paused: `${base}:paused` };
}
