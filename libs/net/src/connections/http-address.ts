import { isLoopback } from './ip-networks.js';

/** Parts that an HTTP address may have in addition to scheme, host, port and path. */
export interface HttpAddressOptions {
  /** False for a base address, to which paths are appended. */
  readonly query: boolean;
  /** User and password. False where other settings hold the credentials. */
  readonly credentials: boolean;
  /** `http://` is only allowed on loopback. Default: everywhere. */
  readonly tls?: boolean;
}

/** Whether the text is an HTTP address, and each of its parts is used. */
export function isHttpAddress(
  text: string,
  { query, credentials, tls = false }: HttpAddressOptions,
): boolean {
  if (!/^https?:\/\/[^/?#]/.test(text) || !URL.canParse(text)) return false;
  if (text.includes('#') || (!query && text.includes('?'))) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (tls && protocol === 'http:' && !isLoopback(hostname)) return false;
  if (username === '' && password === '') return !/^[^/?]*\/\/[^/?]*@/.test(text);
  return credentials && canDecode(username + password);
}

/** What `isHttpAddress` allows; completes the sentence "it takes …". */
export function describeHttpAddress({ query, credentials, tls = false }: HttpAddressOptions): string {
  const refused = [...(credentials ? [] : ['user', 'password']), ...(query ? [] : ['query']), 'fragment'];
  const schemes = tls ? 'https://, or with http:// on loopback' : 'http:// or https://';
  return `an address that starts with ${schemes}, without ${refused.join(', ').replace(/, (\w+)$/, ' and $1')}`;
}

/** The credentials of an address as a header (RFC 7617); empty without credentials. */
export function addressAuthorization({ username, password }: URL): { readonly authorization?: string } {
  if (username === '' && password === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

/** What no log may contain of an address with credentials: the password, or the user without one, and the header. */
export function addressSecrets(url: URL): string[] {
  const { authorization } = addressAuthorization(url);
  if (authorization === undefined) return [];
  const secret = url.password === '' ? url.username : url.password;
  return [decodeURIComponent(secret), secret, authorization.replace('Basic ', '')];
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
