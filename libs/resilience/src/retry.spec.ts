import { retry } from './retry.js';

/** Fails as often as told, then returns the number of attempts. */
function failing(times: number): () => Promise<number> {
  let attempts = 0;
  return () => {
    attempts += 1;
    return attempts > times ? Promise.resolve(attempts) : Promise.reject(new Error(`failure ${attempts}`));
  };
}

describe('retry', () => {
  it('repeats until the work succeeds', async () => {
    expect(await retry(failing(3), { delayMs: () => 0 })).toBe(4);
  });

  it('throws the last failure when no delay is given', async () => {
    const delayMs = (_: unknown, failed: number) => (failed < 2 ? 0 : undefined);
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
