import { Command } from 'ioredis';
import { waitFor } from '@ssb/testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type BudgetWindow, InvalidBudgetError } from './budget-window.js';
import { budgetKeys, RedisBudgetStore } from './redis-budget-store.js';
import { redis, setUpRedis } from '../../test/redis-fixture.js';

const HOUR = 3_600_000;

setUpRedis();

describe('a budget store in Redis', () => {
  const open = (windows: readonly BudgetWindow[], name: string): RedisBudgetStore =>
    new RedisBudgetStore({ redis, prefix: '{spec}', name, windows });
  let name: string;

  beforeEach(() => {
    name = randomUUID();
  });

  it('allows the requests of a window, and then returns the wait', async () => {
    const store = open([{ requests: 2, ms: HOUR }], name);
    expect([await store.tryAcquire('a', 1_000), await store.tryAcquire('b', 1_000)]).toEqual([0, 0]);
    await store.release('a');
    const wait = await store.tryAcquire('c', 1_000);
    expect(wait).toBeGreaterThan(HOUR - 60_000);
    expect(wait).toBeLessThanOrEqual(HOUR);
  });

  it('allows a request after the returned wait', async () => {
    const store = open([{ requests: 1, ms: 50 }], name);
    await store.tryAcquire('a', HOUR);
    await store.release('a');
    const waits: number[] = [];
    for (let wait = await store.tryAcquire('b', 1); wait > 0; wait = await store.tryAcquire('b', 1)) {
      waits.push(wait);
      await pause(wait);
    }
    expect(Math.max(...waits)).toBeLessThanOrEqual(50);
  });

  it('counts an unreleased request no longer than its maximum duration', async () => {
    const store = open([{ requests: 1, ms: 20 }], name);
    await store.tryAcquire('a', 20);
    await pause(60);
    expect(await store.tryAcquire('b', 1)).toBe(0);
  });

  it('allows no request during a pause, which a shorter one does not shorten', async () => {
    const store = open([{ requests: 5, ms: 10 }], name);
    await store.pause(HOUR);
    await store.pause(1);
    expect(await store.tryAcquire('a', 1)).toBeGreaterThan(HOUR - 60_000);
  });

  it('ends a pause', async () => {
    const store = open([{ requests: 5, ms: 10 }], name);
    await store.pause(20);
    await pause(40);
    expect(await store.tryAcquire('a', 1)).toBe(0);
  });

  it('without windows allows every request, except during a pause', async () => {
    const store = open([], name);
    for (let n = 0; n < 300; n += 1) expect(await store.tryAcquire(`${n}`, HOUR)).toBe(0);
    await store.pause(HOUR);
    expect(await store.tryAcquire('a', 1)).toBeGreaterThan(0);
  });
});

describe('in Redis', () => {
  it('refuses a window without requests', () => {
    expect(
      () =>
        new RedisBudgetStore({
          redis,
          prefix: '{spec}',
          name: 'refused',
          windows: [{ requests: 0, ms: 1_000 }],
        }),
    ).toThrow(InvalidBudgetError);
  });

  it('keeps no more entries than the longest window allows, and removes all of them later', async () => {
    const name = randomUUID();
    const store = new RedisBudgetStore({ redis, prefix: '{spec}', name, windows: [{ requests: 3, ms: 20 }] });
    for (let n = 0; n < 12; n += 1) {
      for (let wait = await store.tryAcquire(`${n}`, 1); wait > 0; wait = await store.tryAcquire(`${n}`, 1))
        await pause(wait);
      await store.release(`${n}`);
      expect(await redis.zcard(budgetKeys('{spec}', name).taken)).toBeLessThanOrEqual(3);
    }
    await pause(60);
    expect(await redis.exists(budgetKeys('{spec}', name).taken)).toBe(0);
  });

  it('has all keys of a prefix in braces in one slot of a cluster', () => {
    const { taken, paused } = budgetKeys('{bridge}', 'WPGENCO prudential');
    expect(slotOf(taken)).toBe(slotOf(paused));
    expect(slotOf(taken)).toBe(slotOf(budgetKeys('{bridge}', 'another').taken));
    expect(slotOf(taken)).not.toBe(slotOf(budgetKeys('{other}', 'WPGENCO prudential').taken));
  });
});

function slotOf(key: string): number | null {
  return new Command('get', [key]).getSlot();
}

it('shows how many requests count in each window, those in flight included', async () => {
  const windows = [
    { requests: 5, ms: 1 },
    { requests: 9, ms: HOUR },
  ];
  const store = new RedisBudgetStore({ redis, prefix: '{spec}', name: randomUUID(), windows });
  for (const id of ['a', 'b', 'c']) await store.tryAcquire(id, 600_000);
  await store.release('a');
  const usage = await waitFor('the end of the shorter window', async () => {
    const found = await store.usage();
    return found[0]?.used === 2 && found;
  });
  expect(usage).toEqual([
    { ...windows[0], used: 2 },
    { ...windows[1], used: 3 },
  ]);
});
