import { parseTokenResponse, parseTokenError } from './token-response.js';

describe('parseTokenResponse', () => {
  it.each([
    ['{"access_token":"t","token_type":"Bearer","expires_in":3600,"scope":"A|P|R"}', 't', 3600, 'A|P|R'],
    ['{"access_token":"t","expires_in":"3599"}', 't', 3599, undefined],
    ['{"access_token":"t","expires_in":null}', 't', 300, undefined],
    ['{"access_token":"t","expires_in":"soon"}', 't', 300, undefined],
    ['{"access_token":"t"}', 't', 300, undefined],
    ['{"acces_token":"t","expires_in":60}', 't', 60, undefined],
    ['{"accessToken":"t","expires_in":60}', 't', 60, undefined],
    ['{"acccess_token":"t","expires_in":0}', 't', 0, undefined],
  ])('%s', (body, value, lifetimeSeconds, scope) => {
    expect(parseTokenResponse(body)).toEqual({ ok: true, token: { value, lifetimeSeconds, scope } });
  });

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '<html>',
    '{"access_token":""}',
    '{"access_token":1}',
    '{"refresh_token":"t"}',
    '{"access_token":"t\\r\\nx-admin: 1"}',
  ])('finds no token in %j', (body) => {
    expect(parseTokenResponse(body)).toEqual({ ok: false, reason: 'there is no token in the response' });
  });

  it.each(['"Bearer"', '"bearer"', '"BEARER"', 'null'])('accepts a token of type %s', (type) => {
    expect(parseTokenResponse(`{"access_token":"t","token_type":${type}}`)).toMatchObject({ ok: true });
  });

  it.each(['"DPoP"', '"mac"', '"N_A"', '""', '"Bearer x"', '1', '["Bearer"]'])(
    'refuses a token of type %s (RFC 6749 §7.1)',
    (type) => {
      expect(parseTokenResponse(`{"access_token":"t","token_type":${type}}`)).toEqual({
        ok: false,
        reason: 'its token is not of type Bearer',
      });
    },
  );
});

describe('parseTokenError', () => {
  it.each([
    ['{"error":"invalid_client","error_description":"who?"}', 'invalid_client', 'who?'],
    ['{"error":{"a":1}}', undefined, undefined],
    ['nothing here', undefined, undefined],
  ])('%s', (body, code, description) => {
    expect(parseTokenError(body)).toEqual({ code, description });
  });
});
