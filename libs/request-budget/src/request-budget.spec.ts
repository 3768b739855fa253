import { connectRedis } from '@ssb/redis';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import { randomUUID } from 'node:crypto';
import type { BudgetWindow } from './domain/windows.js';
import { BudgetExhaustedError, BudgetUnavailableError } from './errors.js';
import { MemoryBudgetStore } from './memory-store.js';
import { RedisBudgetStore } from './redis-store.js';
import { RequestBudget, type RequestBudgetOptions } from './request-budget.js';

const HOUR = 3_600_000;
const thrownBy = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

function open(windows: readonly BudgetWindow[], options: Partial<RequestBudgetOptions> = {}): RequestBudget {
  return new RequestBudget({ name: 'test', store: new MemoryBudgetStore(windows), ...options });
}

describe('waiters', () => {
  it('are served in the order in which they came', async () => {
    const budget = open([{ requests: 2, ms: 20 }]);
    const served: number[] = [];
    const take = async (n: number): Promise<void> => {
      const permit = await budget.take();
      served.push(n);
      permit.settle();
    };
    await Promise.all(Array.from({ length: 9 }, (_, n) => take(n)));
    expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('are told at once when the wait would be too long, and when there may be room', async () => {
    const budget = open([{ requests: 1, ms: HOUR }], { maxWaitMs: 30_000 });
    (await budget.take()).settle();
    const error = await thrownBy(budget.take());
    expect(error).toBeInstanceOf(BudgetExhaustedError);
    expect(error).toMatchObject({ budget: 'test', reason: 'too-long' });
    expect((error as BudgetExhaustedError).retryAfterMs).toBeGreaterThan(HOUR - 60_000);
  });

  it('are no more than the bound', async () => {
    const stop = new AbortController();
    const budget = open([{ requests: 1, ms: HOUR }], { maxWaiting: 2, maxWaitMs: 2 * HOUR });
    (await budget.take()).settle();
    const waiting = [thrownBy(budget.take(stop.signal)), thrownBy(budget.take(stop.signal))];
    expect(await thrownBy(budget.take())).toMatchObject({ reason: 'too-many-waiting' });
    stop.abort(new Error('enough'));
    expect(await Promise.all(waiting)).toEqual([new Error('enough'), new Error('enough')]);
  });

  it('behind one that waits long go no later than their own bound', async () => {
    const stop = new AbortController();
    const store = new MemoryBudgetStore([{ requests: 1, ms: HOUR }]);
    const budget = new RequestBudget({ name: 'test', store, maxWaitMs: 2 * HOUR });
    const patient = [thrownBy(budget.take(stop.signal)), thrownBy(budget.take(stop.signal))];
    expect(await thrownBy(budget.take(AbortSignal.timeout(10)))).toMatchObject({ name: 'TimeoutError' });
    stop.abort();
    await Promise.all(patient);
  });

  it('that go away leave the others their turn', async () => {
    const budget = open([{ requests: 1, ms: 30 }]);
    const stop = new AbortController();
    (await budget.take()).settle();
    const first = thrownBy(budget.take(stop.signal));
    const second = budget.take();
    stop.abort();
    expect(await first).toMatchObject({ name: 'AbortError' });
    (await second).settle();
  });

  it('are refused at once when the signal is aborted already', async () => {
    const budget = open([{ requests: 1, ms: HOUR }]);
    expect(await thrownBy(budget.take(AbortSignal.abort()))).toMatchObject({ name: 'AbortError' });
    await budget.take();
  });
});

describe('a pause', () => {
  it.each([
    ['as long as the server said', 7_000, 7_000],
    ['a minute where it did not say', undefined, 60_000],
    ['five seconds at least, though the server said none', 0, 5_000],
    ['an hour at most', 365 * 24 * HOUR, HOUR],
  ])('is %s', async (_, retryAfterMs, expected) => {
    const budget = open([], { maxWaitMs: 0 });
    await budget.pause(retryAfterMs);
    const { retryAfterMs: told = 0 } = (await thrownBy(budget.take())) as BudgetExhaustedError;
    expect(told).toBeLessThanOrEqual(expected);
    expect(told).toBeGreaterThan(expected - 4_000);
  });
});

describe('shared through Redis', () => {
  let server: TestRedis;

  beforeAll(async () => {
    server = await startTestRedis();
  });

  afterAll(() => server.stop());

  it('a pause that one replica was told is everybody’s', async () => {
    const name = randomUUID();
    const connections = [1, 2].map((n) => connectRedis(server.url, { name: `replica-${n}` }));
    const [one, other] = connections.map((redis) => {
      const store = new RedisBudgetStore({ redis, name, windows: [{ requests: 50, ms: 60_000 }] });
      return new RequestBudget({ name, store, maxWaitMs: 1_000 });
    });
    await one?.pause(60_000);
    expect(await thrownBy(other?.take() ?? Promise.resolve())).toMatchObject({ reason: 'too-long' });
    await Promise.all(connections.map((redis) => redis.quit()));
  });

  it('nobody asks while Redis is away, and everybody again when it is back', async () => {
    const name = randomUUID();
    const redis = connectRedis(server.url, { name });
    const store = new RedisBudgetStore({ redis, name, windows: [{ requests: 50, ms: 60_000 }] });
    (await new RequestBudget({ name, store }).take()).settle();
    await server.kill();
    const error = await thrownBy(new RequestBudget({ name, store, storeTimeoutMs: 200 }).take());
    expect(error).toBeInstanceOf(BudgetUnavailableError);
    expect(error).toMatchObject({ budget: name });
    await server.start();
    await redis.ping();
    (await new RequestBudget({ name, store }).take()).settle();
    await redis.quit();
  });

  it('tells that a request’s end could not be written, and goes on', async () => {
    const redis = connectRedis(server.url, { name: 'ends' });
    const store = new RedisBudgetStore({ redis, name: randomUUID(), windows: [{ requests: 5, ms: 1_000 }] });
    let tell: (error: unknown) => void = () => undefined;
    const told = new Promise<unknown>((resolve) => (tell = resolve));
    const budget = new RequestBudget({ name: 'ends', store, onError: tell });
    const permit = await budget.take();
    redis.disconnect();
    permit.settle();
    expect(await told).toBeInstanceOf(Error);
  });
});
