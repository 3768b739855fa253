import { OAuthError } from './oauth-error.js';

/** A well-formed request for a token. Its secret is not verified yet. */
export interface TokenRequest {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The `scope` parameter as sent. */
  readonly scope: string | undefined;
}

export interface RawTokenRequest {
  readonly contentType: string | undefined;
  readonly authorization: string | undefined;
  /** The form as sent; undefined without a body. */
  readonly form: string | undefined;
}

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Characters of a parameter. `scope` has no limit of its own, as an account may hold many scopes. */
const MAX_LENGTH = 1024;

/**
 * Parses a request of document 001, with the credentials in the form or by HTTP Basic (RFC 6749 §2.3.1).
 * @throws OAuthError
 */
export function parseTokenRequest({ contentType, authorization, form }: RawTokenRequest): TokenRequest {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? ''))
    throw new OAuthError('invalid_request', 'the body must be application/x-www-form-urlencoded');
  const parameters = new URLSearchParams(form);
  const grantType = getParameter(parameters, 'grant_type');
  if (grantType === undefined) throw new OAuthError('invalid_request', 'grant_type is missing');
  if (grantType !== 'client_credentials')
    throw new OAuthError('unsupported_grant_type', 'grant_type must be client_credentials');
  const inForm = {
    clientId: getParameter(parameters, 'client_id'),
    clientSecret: getParameter(parameters, 'client_secret'),
  };
  const credentials =
    authorization === undefined ? readFormCredentials(inForm) : readBasicCredentials(authorization, inForm);
  return { ...credentials, scope: getParameter(parameters, 'scope') };
}

/** RFC 6749 §3.2: a parameter without a value counts as omitted, and a repeated one is an error. */
function getParameter(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = parameters.getAll(name);
  if (more.length > 0) throw new OAuthError('invalid_request', `${name} is given more than once`);
  if (value === undefined || value === '') return undefined;
  if (name !== 'scope' && value.length > MAX_LENGTH)
    throw new OAuthError('invalid_request', `${name} is too long`);
  return value;
}

function readFormCredentials({ clientId, clientSecret }: Partial<Credentials>): Credentials {
  if (clientId === undefined) throw new OAuthError('invalid_client', 'there are no client credentials');
  if (clientSecret === undefined) throw new OAuthError('invalid_client', 'client_secret is missing');
  return { clientId, clientSecret };
}

function readBasicCredentials(authorization: string, inForm: Partial<Credentials>): Credentials {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  const clientId = decodeFormText(id);
  const clientSecret = decodeFormText(secret);
  if (!clientId || !clientSecret || clientId.length > MAX_LENGTH || clientSecret.length > MAX_LENGTH)
    throw new OAuthError('invalid_client', 'the Authorization header holds no client credentials');
  // RFC 6749 §2.3 allows one way of authentication per request; the same client_id may be repeated in the form.
  if (inForm.clientSecret !== undefined || (inForm.clientId ?? clientId) !== clientId)
    throw new OAuthError('invalid_request', 'client credentials are given in two ways');
  return { clientId, clientSecret };
}

/** Many clients skip the form encoding of RFC 6749 §2.3.1, so text that cannot be decoded is used as sent. */
function decodeFormText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const isDecodable = !/%(?![0-9a-f]{2})/i.test(text);
  return isDecodable ? (new URLSearchParams(`v=${text.replace(/&/g, '%26')}`).get('v') ?? undefined) : text;
}
