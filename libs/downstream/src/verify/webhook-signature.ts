import { encodeUtf8, hmacSha256 } from '@ssb/identity';

/** What Standard Webhooks signs. */
export interface SignedContent {
  readonly id: string;
  readonly timestamp: string;
  readonly body: Uint8Array;
}

const VERSION = 'v1,';

/** Whether one of the signatures of `webhook-signature` was made with one of the keys (Standard Webhooks, "Signature scheme"). */
export function isSignedWith(
  keys: readonly Uint8Array[],
  { id, timestamp, body }: SignedContent,
  signatures: string,
): boolean {
  const head = encodeUtf8(`${id}.${timestamp}.`);
  const content = new Uint8Array(head.length + body.length);
  content.set(head);
  content.set(body, head.length);
  const expected = keys.map((key) => toBase64(hmacSha256(key, content)));
  const given = signatures.split(' ').filter((text) => text.startsWith(VERSION));
  return given.some((signature) => expected.some((each) => isEqual(signature.slice(VERSION.length), each)));
}

/** Complete base64 with padding, as the settings of the bridge require it. */
const SECRET = /^(?:whsec_)?(?=.)((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/**
 * The key of a secret.
 * @throws RangeError for a text that is not a secret; the message does not contain it
 */
export function decodeSecret(secret: string): Uint8Array {
  const [, key] = SECRET.exec(secret) ?? [];
  if (key === undefined)
    throw new RangeError('A webhook secret is whsec_ and a key in base64. Use the secret of the sink.');
  return Uint8Array.from(atob(key), (character) => character.charCodeAt(0));
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Takes as long for every text of the expected length. */
function isEqual(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index += 1)
    difference |= given.charCodeAt(index) ^ expected.charCodeAt(index);
  return difference === 0;
}
