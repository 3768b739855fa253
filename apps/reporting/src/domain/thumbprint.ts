const HEX = /^[0-9A-Fa-f]{64}$/;
const BASE64URL = /^[\w-]{43}$/;

/**
 * One form for a certificate's SHA-256, base64url, however it was written: that form itself, or hexadecimal with or
 * without colons, as `openssl x509 -fingerprint -sha256` and most proxies write it. Undefined for anything else.
 */
export function readThumbprint(text: string): string | undefined {
  if (BASE64URL.test(text)) return text;
  const hex = text.replaceAll(':', '');
  return HEX.test(hex) ? Buffer.from(hex, 'hex').toString('base64url') : undefined;
}
