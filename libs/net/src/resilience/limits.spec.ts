import { Readable } from 'node:stream';
import { BodyTooLargeError, readBody, TimeoutError, withTimeout } from './limits.js';

const pending = (): Promise<never> => new Promise<never>(() => undefined);

describe('withTimeout', () => {
  it('settles as the promise does', async () => {
    expect(await withTimeout(Promise.resolve('a'), 60_000)).toBe('a');
    await expect(withTimeout(Promise.reject(new Error('b')), 60_000)).rejects.toThrow('b');
  });

  it('rejects when the time is over', async () => {
    await expect(withTimeout(pending(), 5)).rejects.toThrow(TimeoutError);
    await expect(withTimeout(pending(), 5)).rejects.toThrow('no response within 5 ms');
  });

  it('ignores a failure that comes after the time-out', async () => {
    let fail: (error: Error) => void = () => undefined;
    const failing = new Promise<never>((_, reject) => (fail = reject));
    await expect(withTimeout(failing, 5)).rejects.toThrow(TimeoutError);
    fail(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
  });

  it.each([
    ['during the wait', () => AbortSignal.timeout(5)],
    ['already', () => AbortSignal.abort(new DOMException('over', 'TimeoutError'))],
  ])('rejects with the reason of a signal that is aborted %s', async (_, signal) => {
    const failed = await withTimeout(pending(), 60_000, signal()).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(DOMException);
  });
});

describe('readBody', () => {
  it('refuses a larger body and destroys its stream', async () => {
    const body = Readable.from([Buffer.from('abc'), Buffer.from('def'), Buffer.from('g')]);
    await expect(readBody(body, 5)).rejects.toThrow(BodyTooLargeError);
    expect(body.destroyed).toBe(true);
  });
});
