/** A user name and password as a request gives them; nothing says yet that they are right. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** Reads an `Authorization` header of RFC 7617, in UTF-8; undefined when it is none. The user name ends at the first colon. */
export function readBasicCredentials(header: string | undefined): BasicCredentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = asUtf8(Buffer.from(encoded, 'base64'));
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon < 0) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Undefined for bytes that are none: replaced ones would make two passwords one. */
function asUtf8(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}
