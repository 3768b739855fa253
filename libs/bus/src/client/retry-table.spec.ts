import { GatewayAnswerError, GatewayError, GatewayUnreachableError } from './gateway-error.js';
import { retryOf } from './retry-table.js';

/** Document 002, "Errors", and what docs/interfaces.md adds; judged by hand. */
describe('whether asking again may help', () => {
  it.each([
    [400, 'ID::INVALID_PRIVATE_KEY', 'never'],
    [400, 'ID::NO_PRIVATE_KEY', 'never'],
    [500, 'ID::FETCH_CLAIMS_FAILED', 'repeatable'],
    [401, 'BUS::CHANNEL_UNAUTHORIZED', 'never'],
    [401, 'BUS::LOGIN_FAILED', 'never'],
    [403, 'BUS::FORBIDDEN_RESOURCE', 'never'],
    [403, 'BUS::FORBIDDEN', 'never'],
    [404, 'BUS::CHANNEL_NOT_FOUND', 'never'],
    [422, 'BUS::MESSAGE_REJECTED', 'never'],
    [502, 'BUS::REQUEST_FAILED', 'repeatable'],
    [502, 'DSB::REQUEST_FAILED', 'repeatable'],
    [503, 'DSB::UNHEALTHY', 'repeatable'],
    [400, 'SIG::CHECK_FAILED', 'never'],
    [200, 'SIG::NO_MATCH', 'never'],
    [429, 'REQ::TOO_MANY_REQUESTS', 'later'],
    [401, 'REQ::UNAUTHENTICATED', 'never'],
    // Codes of another implementation: their status is all there is.
    [504, 'DSB::SOMETHING_NEW', 'repeatable'],
    [409, 'DSB::SOMETHING_NEW', 'never'],
  ])('after %i %s: %s', (status, code, retry) => {
    expect(retryOf(new GatewayError(status, { code, reason: 'r' }))).toBe(retry);
  });

  it.each([
    ['no answer', new GatewayUnreachableError('x'), 'repeatable'],
    ['a page of a proxy, 502', new GatewayAnswerError(502, 'x'), 'repeatable'],
    ['a page of a proxy, 429', new GatewayAnswerError(429, 'x'), 'later'],
    ['something else, 200', new GatewayAnswerError(200, 'x'), 'never'],
    ['a fault of the program', new TypeError('x'), 'never'],
  ])('after %s', (_name, error, retry) => {
    expect(retryOf(error)).toBe(retry);
  });
});
