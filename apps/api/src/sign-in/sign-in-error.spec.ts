import { AuthorizationResponseError, ClientError } from 'openid-client';
import { toSignInError } from './sign-in-error.js';

const mapped = (error: unknown) => {
  const { reason, message } = toSignInError(error);
  return [reason, message];
};

it.each([
  ['access_denied', 'denied', 'the issuer reports access_denied'],
  ['temporarily_unavailable', 'unavailable', 'the issuer reports temporarily_unavailable'],
  ['login_required', 'refused', 'the issuer reports login_required'],
  ['an invented text', 'refused', 'the issuer reports an unknown error'],
  ['constructor', 'refused', 'the issuer reports an unknown error'],
])('an issuer that reports %s: %s', (error, ...expected) => {
  const cause = new URLSearchParams({ error });
  expect(mapped(new AuthorizationResponseError('refused', { cause }))).toEqual(expected);
});

it.each([
  [500, 'unavailable'],
  [404, 'refused'],
])('a response %i of the issuer: %s', (status, reason) => {
  const cause = new Response(null, { status });
  expect(mapped(new ClientError('unexpected', { cause }))).toEqual([reason, `the issuer responds ${status}`]);
});
