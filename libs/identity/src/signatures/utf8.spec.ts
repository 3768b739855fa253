import { toUtf8Bytes } from 'ethers';
import { didOfKey } from '../keys/did.js';
import { parsePrivateKey } from '../keys/private-key.js';
import { recoverSigner, SIGNATURE_SCHEMES, signMessage, verifyMessage } from './bus-signature.js';
import { signDetachedJws, signJws, verifyDetachedJws } from './jws.js';
import { IllFormedTextError, isWellFormed, utf8 } from './utf8.js';

const KEY = parsePrivateKey('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
const DID = didOfKey(KEY);

describe('a text with a UTF-8 form', () => {
  it.each(['', 'plain', 'μέγα', '😂', 'a😂b', '\ufffd', '\ud7ff\ue000', '\0', '\u{10ffff}'])(
    'can be %j',
    (text) => {
      expect(isWellFormed(text)).toBe(true);
      expect(Uint8Array.from(utf8(text))).toEqual(toUtf8Bytes(text));
    },
  );
});

describe.each(['\ud800', '\udbff', '\udc00', '\udfff', 'x\ud83d', '\ude02x', '\ude02\ud83d', '😂\ud83d'])(
  'a text with a lone surrogate, %j',
  (text) => {
    it('has no UTF-8 form, and encodeURIComponent agrees', () => {
      expect(isWellFormed(text)).toBe(false);
      expect(() => utf8(text)).toThrow(IllFormedTextError);
      expect(() => encodeURIComponent(text)).toThrow(URIError);
    });

    it('cannot be signed', () => {
      for (const scheme of SIGNATURE_SCHEMES)
        expect(() => signMessage(text, KEY, scheme)).toThrow(IllFormedTextError);
      expect(() => signJws(text, KEY)).toThrow(IllFormedTextError);
    });

    it('is refused with the signature of the text with U+FFFD', () => {
      const replaced = text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
      for (const scheme of SIGNATURE_SCHEMES) {
        const signature = signMessage(replaced, KEY, scheme);
        expect(verifyMessage(replaced, signature, DID, scheme).ok).toBe(true);
        expect(recoverSigner(text, signature, scheme)).toEqual({ ok: false, reason: 'unrecoverable' });
        expect(verifyMessage(text, signature, DID, scheme)).toEqual({
          ok: false,
          reason: 'signature-format',
        });
      }
      const jws = signDetachedJws(replaced, KEY);
      expect(verifyDetachedJws(jws, text, DID)).toEqual({ ok: false, reason: 'malformed' });
    });
  },
);

it('a payload with any flipped bit has another signer', () => {
  const payload = '{"amount":"-123456789012345.12345678"}';
  const [signature, jws] = [signMessage(payload, KEY), signDetachedJws(payload, KEY)];
  const accepted = Array.from({ length: payload.length * 7 }, (_, bit) => {
    const bytes = Buffer.from(payload, 'ascii');
    const at = Math.floor(bit / 7);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit % 7));
    return bytes.toString('ascii');
  }).filter(
    (flipped) => verifyMessage(flipped, signature, DID).ok || verifyDetachedJws(jws, flipped, DID).ok,
  );
  expect(accepted).toEqual([]);
});

it('a bus signature with any flipped bit has another signer', () => {
  const bytes = Buffer.from(signMessage('x', KEY).slice(2), 'hex');
  const accepted = Array.from({ length: 65 * 8 }, (_, bit) => {
    const flipped = Buffer.from(bytes);
    const at = Math.floor(bit / 8);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (bit % 8));
    return `0x${flipped.toString('hex')}`;
  }).filter((flipped) => verifyMessage('x', flipped, DID).ok);
  expect(accepted).toEqual([]);
});
