import { backoffDelayMs, retry } from './retry.js';

describe('backoffDelayMs', () => {
  const BACKOFF = { baseMs: 100, maxMs: 10_000 };

  it.each([
    [1, 100],
    [2, 200],
    [7, 6_400],
    [8, 10_000],
    [1e9, 10_000],
  ])('after failure %i waits %i ms at most, and half of it at least', (failures, max) => {
    expect(backoffDelayMs(failures, BACKOFF, 1)).toBe(max);
    expect(backoffDelayMs(failures, BACKOFF, 0)).toBe(max / 2);
  });

  it('is never longer than its maximum, not even the first time', () => {
    expect(backoffDelayMs(1, { baseMs: 500, maxMs: 20 }, 1)).toBe(20);
  });
});

describe('retry', () => {
  /** Fails this often, then returns the number of attempts. */
  function failing(times: number): () => Promise<number> {
    let attempts = 0;
    return () => {
      attempts += 1;
      return attempts > times ? Promise.resolve(attempts) : Promise.reject(new Error(`failure ${attempts}`));
    };
  }

  it('repeats until the work succeeds', async () => {
    expect(await retry(failing(3), { delayMs: () => 0 })).toBe(4);
  });

  it('throws the last failure when no delay is given', async () => {
    const delayMs = (_: unknown, failures: number) => (failures < 2 ? 0 : undefined);
    await expect(retry(failing(9), { delayMs })).rejects.toThrow('failure 2');
  });

  it('throws the failure when it is aborted during a wait', async () => {
    const abort = new AbortController();
    const delayMs = () => {
      setImmediate(() => abort.abort());
      return 600_000;
    };
    await expect(retry(failing(9), { delayMs, signal: abort.signal })).rejects.toThrow('failure 1');
  });

  it('makes one attempt when it is aborted already', async () => {
    await expect(retry(failing(9), { delayMs: () => 0, signal: AbortSignal.abort() })).rejects.toThrow(
      'failure 1',
    );
  });
});
