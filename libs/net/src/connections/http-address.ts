/** Parts that an HTTP address may have in addition to scheme, host, port and path. */
export interface HttpAddressOptions {
  /** False for a base address, to which paths are appended. */
  readonly query: boolean;
  /** User and password. False where other settings hold the credentials. */
  readonly credentials: boolean;
}

/** Whether the text is an HTTP address, and each of its parts is used. */
export function isHttpAddress(text: string, { query, credentials }: HttpAddressOptions): boolean {
  if (!/^https?:\/\/[^/?#]/.test(text) || !URL.canParse(text)) return false;
  if (text.includes('#') || (!query && text.includes('?'))) return false;
  const { username, password } = new URL(text);
  if (username === '' && password === '') return !/^[^/?]*\/\/[^/?]*@/.test(text);
  return credentials && canDecode(username + password);
}

/** What `isHttpAddress` allows; completes the sentence "it takes …". */
export function describeHttpAddress({ query, credentials }: HttpAddressOptions): string {
  const refused = [...(credentials ? [] : ['user', 'password']), ...(query ? [] : ['query']), 'fragment'];
  return `an address that starts with http:// or https://, without ${refused.join(', ').replace(/, (\w+)$/, ' and $1')}`;
}

/** The credentials of an address as a header (RFC 7617); empty without credentials. */
export function addressAuthorization({ username, password }: URL): { readonly authorization?: string } {
  if (username === '' && password === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
