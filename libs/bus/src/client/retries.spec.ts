import { GatewayError, GatewayUnreachableError } from './gateway-error.js';
import { pauseBefore, withRetries } from './retries.js';

const options = { attempts: 3, longestPauseMs: 5_000, repeatable: true, random: 1 };
const unreachable = new GatewayUnreachableError('x');
const busy = (retryAfterMs?: number): GatewayError =>
  new GatewayError(429, { code: 'REQ::TOO_MANY_REQUESTS', reason: 'r' }, retryAfterMs);

describe('the pause before another attempt', () => {
  it.each([
    ['the first', unreachable, 1, options, 200],
    ['the second', unreachable, 2, options, 400],
    ['the last', unreachable, 3, options, undefined],
    ['what must not be done twice', unreachable, 1, { ...options, repeatable: false }, undefined],
    ['what was not even begun', busy(), 1, { ...options, repeatable: false }, 200],
    ['a gateway that asks for patience', busy(3_000), 1, options, 3_000],
    ['one that asks for too much of it', busy(6_000), 1, options, undefined],
    ['what never helps', new TypeError('x'), 1, options, undefined],
  ])('after %s', (_name, error, failed, given, expected) => {
    expect(pauseBefore(error, failed, given)).toBe(expected);
  });
});

describe('trying again', () => {
  const quick = { attempts: 3, longestPauseMs: 1, repeatable: true };
  const failing = (times: number) => {
    let attempts = 0;
    return async (): Promise<number> => {
      attempts += 1;
      if (attempts <= times) throw unreachable;
      return attempts;
    };
  };

  it('gives what the first attempt that succeeds gives', async () => {
    const { signal } = new AbortController();
    expect(await withRetries({ ...quick, signal }, failing(2))).toBe(3);
  });

  it('throws the last failure', async () => {
    const { signal } = new AbortController();
    await expect(withRetries({ ...quick, signal }, failing(3))).rejects.toBe(unreachable);
  });

  it('ends when the caller ends it, pause or no pause', async () => {
    const closing = new AbortController();
    const patient = { attempts: 3, longestPauseMs: 600_000, repeatable: true, signal: closing.signal };
    const trying = withRetries(patient, async () => {
      throw busy(600_000);
    });
    setImmediate(() => closing.abort());
    await expect(trying).rejects.toMatchObject({ kind: 'TOO_MANY_REQUESTS' });
  });
});
