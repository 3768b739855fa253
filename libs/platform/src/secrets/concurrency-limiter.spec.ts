import { ConcurrencyLimiter, TooManyTasksError } from './concurrency-limiter.js';

function deferred() {
  let finish: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (finish = resolve));
  return { done, finish };
}

describe('ConcurrencyLimiter', () => {
  it('runs one task per slot, queues further ones and refuses the rest', async () => {
    const limiter = new ConcurrencyLimiter(1, 1);
    const order: string[] = [];
    const first = deferred();
    const running = limiter.run(async () => {
      order.push('first');
      await first.done;
    });
    const waiting = limiter.run(() => Promise.resolve(order.push('second')));
    await expect(limiter.run(() => Promise.resolve())).rejects.toThrow(TooManyTasksError);
    expect(order).toEqual(['first']);
    first.finish();
    await Promise.all([running, waiting]);
    expect(order).toEqual(['first', 'second']);
  });

  it('frees the slot of a task that fails', async () => {
    const limiter = new ConcurrencyLimiter(1, 0);
    await expect(limiter.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await limiter.run(() => Promise.resolve('yes'))).toBe('yes');
  });
});
