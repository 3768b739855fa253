import { GatewayError, GatewayUnreachableError, InvalidGatewayResponseError } from './gateway-errors.js';
import { decideRetry, retryDelayMs, withRetries } from './gateway-retry.js';

const options = { attempts: 3, maxDelayMs: 5_000, repeatable: true, random: 1 };
const unreachable = new GatewayUnreachableError('x');
const busy = (retryAfterMs?: number): GatewayError =>
  new GatewayError(429, { code: 'REQ::TOO_MANY_REQUESTS', reason: 'r' }, retryAfterMs);

/** Expected values by hand from document 002, "Errors", and docs/interfaces.md. */
describe('the retry decision', () => {
  it.each([
    ['always', ['429 REQ::TOO_MANY_REQUESTS']],
    [
      'if-repeatable',
      [
        '500 ID::FETCH_CLAIMS_FAILED',
        '502 BUS::REQUEST_FAILED',
        '502 DSB::REQUEST_FAILED',
        '503 DSB::UNHEALTHY',
        // A code of another implementation is decided by its status.
        '504 DSB::SOMETHING_NEW',
      ],
    ],
    [
      'never',
      [
        ...['400 ID::INVALID_PRIVATE_KEY', '400 ID::NO_PRIVATE_KEY', '401 BUS::CHANNEL_UNAUTHORIZED'],
        ...['401 BUS::LOGIN_FAILED', '403 BUS::FORBIDDEN_RESOURCE', '403 BUS::FORBIDDEN'],
        ...['404 BUS::CHANNEL_NOT_FOUND', '422 BUS::MESSAGE_REJECTED', '400 SIG::CHECK_FAILED'],
        ...['200 SIG::NO_MATCH', '401 REQ::UNAUTHENTICATED', '403 ID::NOT_ENROLED', '422 ID::NO_BALANCE'],
        ...['401 DSB::TOPIC_UNAUTHORIZED', '400 DSB::INVALID_PAYLOAD', '409 DSB::SOMETHING_NEW'],
      ],
    ],
  ])('is %s for these errors', (decision, errors) => {
    for (const each of errors) {
      const [status = '', code = ''] = each.split(' ');
      const error = new GatewayError(Number(status), { code, reason: 'r' });
      expect([each, decideRetry(error)]).toEqual([each, decision]);
    }
  });

  it.each([
    ['no response', new GatewayUnreachableError('x'), 'if-repeatable'],
    ['a page of a proxy, 502', new InvalidGatewayResponseError(502, 'x'), 'if-repeatable'],
    ['a page of a proxy, 429', new InvalidGatewayResponseError(429, 'x'), 'always'],
    ['another body, 200', new InvalidGatewayResponseError(200, 'x'), 'never'],
    ['a programming error', new TypeError('x'), 'never'],
  ])('for %s', (_name, error, decision) => {
    expect(decideRetry(error)).toBe(decision);
  });
});

describe('the delay before the next attempt', () => {
  it.each([
    ['the first failure', unreachable, 1, options, 200],
    ['the second failure', unreachable, 2, options, 400],
    ['the last failure', unreachable, 3, options, undefined],
    ['an operation that must not be repeated', unreachable, 1, { ...options, repeatable: false }, undefined],
    ['an operation that was not started', busy(), 1, { ...options, repeatable: false }, 200],
    ['a Retry-After', busy(3_000), 1, options, 3_000],
    ['a Retry-After over the maximum delay', busy(6_000), 1, options, undefined],
    ['an error that a repeat cannot solve', new TypeError('x'), 1, options, undefined],
  ])('after %s', (_name, error, failed, given, expected) => {
    expect(retryDelayMs(error, failed, given)).toBe(expected);
  });
});

describe('withRetries', () => {
  const quick = { attempts: 3, maxDelayMs: 1, repeatable: true };
  const failing = (times: number) => {
    let attempts = 0;
    return async (): Promise<number> => {
      attempts += 1;
      if (attempts <= times) throw unreachable;
      return attempts;
    };
  };

  it('returns the result of the first successful attempt', async () => {
    const { signal } = new AbortController();
    expect(await withRetries({ ...quick, signal }, failing(2))).toBe(3);
  });

  it('throws the last failure', async () => {
    const { signal } = new AbortController();
    await expect(withRetries({ ...quick, signal }, failing(3))).rejects.toBe(unreachable);
  });

  it('stops when the signal is aborted', async () => {
    const closing = new AbortController();
    const options = { attempts: 3, maxDelayMs: 600_000, repeatable: true, signal: closing.signal };
    const trying = withRetries(options, async () => {
      throw busy(600_000);
    });
    setImmediate(() => closing.abort());
    await expect(trying).rejects.toMatchObject({ kind: 'TOO_MANY_REQUESTS' });
  });
});
