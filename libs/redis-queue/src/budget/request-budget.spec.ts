import { MemoryBudgetStore } from '@ssb/testing/in-process';
import { connectRedis } from '../redis/connect.js';
import type { Redis } from 'ioredis';
import { redis, server, setUpRedis } from '../../test/redis-fixture.js';
import { randomUUID } from 'node:crypto';
import type { BudgetWindow } from './budget-window.js';
import { RedisBudgetStore } from './redis-budget-store.js';
import {
  BudgetExhaustedError,
  BudgetUnavailableError,
  RequestBudget,
  type RequestBudgetOptions,
} from './request-budget.js';

const HOUR = 3_600_000;
const thrownBy = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

function open(windows: readonly BudgetWindow[], options: Partial<RequestBudgetOptions> = {}): RequestBudget {
  return new RequestBudget({ name: 'test', store: new MemoryBudgetStore(windows), ...options });
}

describe('waiting requests', () => {
  it('are served in their order', async () => {
    const budget = open([{ requests: 2, ms: 20 }]);
    const served: number[] = [];
    const acquire = async (n: number): Promise<void> => {
      const permit = await budget.acquire();
      served.push(n);
      permit.release();
    };
    await Promise.all(Array.from({ length: 9 }, (_, n) => acquire(n)));
    expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('are refused at once when the wait would be too long, with the time of the next room', async () => {
    const budget = open([{ requests: 1, ms: HOUR }], { maxWaitMs: 30_000 });
    (await budget.acquire()).release();
    const error = await thrownBy(budget.acquire());
    expect(error).toBeInstanceOf(BudgetExhaustedError);
    expect(error).toMatchObject({ budget: 'test', reason: 'too-long' });
    expect((error as BudgetExhaustedError).retryAfterMs).toBeGreaterThan(HOUR - 60_000);
  });

  it('are no more than the maximum', async () => {
    const stop = new AbortController();
    const budget = open([{ requests: 1, ms: HOUR }], { maxWaiting: 2, maxWaitMs: 2 * HOUR });
    (await budget.acquire()).release();
    const waiting = [thrownBy(budget.acquire(stop.signal)), thrownBy(budget.acquire(stop.signal))];
    expect(await thrownBy(budget.acquire())).toMatchObject({ reason: 'too-many-waiting' });
    stop.abort(new Error('enough'));
    expect(await Promise.all(waiting)).toEqual([new Error('enough'), new Error('enough')]);
  });

  it('behind a long wait have their own time-out', async () => {
    const stop = new AbortController();
    const store = new MemoryBudgetStore([{ requests: 1, ms: HOUR }]);
    const budget = new RequestBudget({ name: 'test', store, maxWaitMs: 2 * HOUR });
    const waiting = [thrownBy(budget.acquire(stop.signal)), thrownBy(budget.acquire(stop.signal))];
    expect(await thrownBy(budget.acquire(AbortSignal.timeout(10)))).toMatchObject({ name: 'TimeoutError' });
    stop.abort();
    await Promise.all(waiting);
  });

  it('that are aborted do not block the others', async () => {
    const budget = open([{ requests: 1, ms: 30 }]);
    const stop = new AbortController();
    (await budget.acquire()).release();
    const first = thrownBy(budget.acquire(stop.signal));
    const second = budget.acquire();
    stop.abort();
    expect(await first).toMatchObject({ name: 'AbortError' });
    (await second).release();
  });

  it('are refused at once when the signal is aborted already', async () => {
    const budget = open([{ requests: 1, ms: HOUR }]);
    expect(await thrownBy(budget.acquire(AbortSignal.abort()))).toMatchObject({ name: 'AbortError' });
    await budget.acquire();
  });
});

describe('a pause', () => {
  it.each([
    ['as long as the server requested', 7_000, 7_000],
    ['a minute without a request of the server', undefined, 60_000],
    ['at least five seconds, also when the server requested none', 0, 5_000],
    ['at most an hour', 365 * 24 * HOUR, HOUR],
  ])('is %s', async (_, retryAfterMs, expected) => {
    const budget = open([], { maxWaitMs: 0 });
    await budget.pause(retryAfterMs);
    const { retryAfterMs: actual = 0 } = (await thrownBy(budget.acquire())) as BudgetExhaustedError;
    expect(actual).toBeLessThanOrEqual(expected);
    expect(actual).toBeGreaterThan(expected - 4_000);
  });
});

describe('shared through Redis', () => {
  setUpRedis();

  const openStore = (redis: Redis, name = randomUUID()): RedisBudgetStore =>
    new RedisBudgetStore({ redis, prefix: '{spec}', name, windows: [{ requests: 50, ms: 60_000 }] });

  it('a pause of one replica applies to all', async () => {
    const name = randomUUID();
    const replica = connectRedis(server.url, { name: 'replica' });
    const [one, other] = [redis, replica].map(
      (connection) => new RequestBudget({ name, store: openStore(connection, name), maxWaitMs: 1_000 }),
    );
    await one?.pause(60_000);
    expect(await thrownBy(other?.acquire() ?? Promise.resolve())).toMatchObject({ reason: 'too-long' });
    replica.disconnect();
  });

  it('no request is sent while Redis is unavailable, and all are again later', async () => {
    const name = randomUUID();
    const store = openStore(redis, name);
    (await new RequestBudget({ name, store }).acquire()).release();
    await server.kill();
    const error = await thrownBy(new RequestBudget({ name, store, storeTimeoutMs: 200 }).acquire());
    expect(error).toBeInstanceOf(BudgetUnavailableError);
    expect(error).toMatchObject({ budget: name });
    await server.start();
    await redis.ping();
    (await new RequestBudget({ name, store }).acquire()).release();
  });

  it('reports that the end of a request could not be written', async () => {
    const connection = connectRedis(server.url, { name: 'ends' });
    let onError: (error: unknown) => void = () => undefined;
    const reported = new Promise<unknown>((resolve) => (onError = resolve));
    const budget = new RequestBudget({ name: 'ends', store: openStore(connection), onError });
    const permit = await budget.acquire();
    connection.disconnect();
    permit.release();
    expect(await reported).toBeInstanceOf(Error);
  });
});
