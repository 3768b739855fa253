import { didOfKey } from '../keys/did.js';
import { parsePrivateKey } from '../keys/private-key.js';
import { recoverSigner, SIGNATURE_SCHEMES, signMessage, verifyMessage } from './bus-signature.js';
import { signDetachedJws, signJws, verifyDetachedJws } from './jws.js';
import { IllFormedTextError, isWellFormed, utf8 } from './utf8.js';

const KEY = parsePrivateKey('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
const DID = didOfKey(KEY);

it.each(['', 'plain', 'μέγα', '😂', 'a😂b', '\ufffd', '\ud7ff\ue000', '\0', '\u{10ffff}'])(
  'the text %j has a UTF-8 form',
  (text) => {
    expect(isWellFormed(text)).toBe(true);
    expect(Uint8Array.from(utf8(text))).toEqual(new TextEncoder().encode(text));
  },
);

it.each(['\ud800', '\udbff', '\udc00', '\udfff', 'x\ud83d', '\ude02x', '\ude02\ud83d', '😂\ud83d'])(
  'the text %j with a lone surrogate has none, cannot be signed, and does not match the signature of U+FFFD',
  (text) => {
    expect(isWellFormed(text)).toBe(false);
    expect(() => utf8(text)).toThrow(IllFormedTextError);
    expect(() => signJws(text, KEY)).toThrow(IllFormedTextError);
    const replaced = text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
    for (const scheme of SIGNATURE_SCHEMES) {
      expect(() => signMessage(text, KEY, scheme)).toThrow(IllFormedTextError);
      const signature = signMessage(replaced, KEY, scheme);
      expect(recoverSigner(text, signature, scheme)).toEqual({ ok: false, reason: 'unrecoverable' });
      expect(verifyMessage(text, signature, DID, scheme)).toEqual({ ok: false, reason: 'signature-format' });
    }
    const jws = signDetachedJws(replaced, KEY);
    expect(verifyDetachedJws(jws, text, DID)).toEqual({ ok: false, reason: 'malformed' });
  },
);
