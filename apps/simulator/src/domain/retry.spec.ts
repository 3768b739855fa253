import {
  OperatorRefusedError,
  OperatorUnavailableError,
  TokenRefusedError,
  TokenUnavailableError,
} from '@ssb/market';
import { afterFailure } from './retry.js';

const refused = (status: number) => new OperatorRefusedError('/x', status, '');

it.each<[string, unknown, string]>([
  ['no answer', new OperatorUnavailableError('/x', undefined), 'again'],
  ['a failing door', new OperatorUnavailableError('/x', 503), 'again'],
  ['no token service', new TokenUnavailableError('down', undefined, undefined), 'again'],
  ['an account that is not there yet', new TokenRefusedError(401, 'invalid_client', undefined), 'again'],
  ['a token that the door does not take yet', refused(401), 'again'],
  ['a scope that the account does not hold', refused(403), 'give-up'],
  ['a record published before', refused(409), 'go-on'],
  ['a record that is none', refused(422), 'give-up'],
  ['a fault of our own', new TypeError('x'), 'give-up'],
])('after %s', (_what, error, next) => {
  expect(afterFailure(error, 1).do).toBe(next);
});

it('waits longer each time, five seconds at most', () => {
  const pauses = [1, 2, 3, 6, 1_000].map((attempt) => afterFailure(refused(401), attempt));
  expect(pauses).toEqual([250, 500, 1_000, 5_000, 5_000].map((pauseMs) => ({ do: 'again', pauseMs })));
});
