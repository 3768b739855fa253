import { OAuthError } from './oauth-error.js';

/** A well-formed request for a token. Whether the secret is right has not been looked at. */
export interface TokenRequest {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The `scope` parameter as sent. */
  readonly scope: string | undefined;
}

export interface RawTokenRequest {
  readonly contentType: string | undefined;
  readonly authorization: string | undefined;
  /** The form as sent; undefined where there is no body. */
  readonly form: string | undefined;
}

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Beyond any client's name or password; keeps the work on a request bounded. Scopes are as long as an account has many of them. */
const MAX_LENGTH = 1024;

/**
 * Reads a request of document 001, with the credentials in the form or by HTTP Basic (RFC 6749 §2.3.1).
 * @throws OAuthError as RFC 6749 §5.2 has it
 */
export function parseTokenRequest({ contentType, authorization, form }: RawTokenRequest): TokenRequest {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? ''))
    throw new OAuthError('invalid_request', 'the body must be application/x-www-form-urlencoded');
  const parameter = parametersOf(form);
  const grantType = parameter('grant_type');
  if (grantType === undefined) throw new OAuthError('invalid_request', 'grant_type is missing');
  if (grantType !== 'client_credentials')
    throw new OAuthError('unsupported_grant_type', 'grant_type must be client_credentials');
  const inForm = { clientId: parameter('client_id'), clientSecret: parameter('client_secret') };
  const credentials =
    authorization === undefined ? readFormCredentials(inForm) : readBasicCredentials(authorization, inForm);
  return { ...credentials, scope: parameter('scope') };
}

/** RFC 6749 §3.2: a parameter without a value counts as omitted, none may be repeated, and those that are unknown are ignored. */
function parametersOf(form: string | undefined): (name: string) => string | undefined {
  const parameters = new URLSearchParams(form);
  return (name) => {
    const [value, ...more] = parameters.getAll(name);
    if (more.length > 0) throw new OAuthError('invalid_request', `${name} is given more than once`);
    if (value === undefined || value === '') return undefined;
    if (name !== 'scope' && value.length > MAX_LENGTH)
      throw new OAuthError('invalid_request', `${name} is too long`);
    return value;
  };
}

function readFormCredentials({ clientId, clientSecret }: Partial<Credentials>): Credentials {
  if (clientId === undefined) throw new OAuthError('invalid_client', 'there are no client credentials');
  if (clientSecret === undefined) throw new OAuthError('invalid_client', 'client_secret is missing');
  return { clientId, clientSecret };
}

function readBasicCredentials(authorization: string, inForm: Partial<Credentials>): Credentials {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  const clientId = formDecode(id);
  const clientSecret = formDecode(secret);
  if (!clientId || !clientSecret || clientId.length > MAX_LENGTH || clientSecret.length > MAX_LENGTH)
    throw new OAuthError('invalid_client', 'the Authorization header holds no client credentials');
  // §2.3: one way of authentication a request. A bare client_id that repeats the same name does no harm.
  if (inForm.clientSecret !== undefined || (inForm.clientId ?? clientId) !== clientId)
    throw new OAuthError('invalid_request', 'client credentials are given in two ways');
  return { clientId, clientSecret };
}

/** Many clients skip the form encoding of §2.3.1; a stray percent sign is then taken as it stands. */
function formDecode(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const decodable = !/%(?![0-9a-f]{2})/i.test(text);
  return decodable ? (new URLSearchParams(`v=${text.replace(/&/g, '%26')}`).get('v') ?? undefined) : text;
}
