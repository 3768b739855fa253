import { decryptKey, encryptKey, KeyDecryptionError } from './signing-key.js';

const SECRET = Buffer.from('a secret of at least thirty-two bytes');
const KEY = Buffer.from('{"d":"private"}');

it('an encrypted key has no plaintext, and is decrypted with its key id and secret only', () => {
  const [encrypted, again] = [encryptKey('a', KEY, SECRET), encryptKey('a', KEY, SECRET)];
  expect(decryptKey('a', encrypted, SECRET)).toEqual(KEY);
  expect(encrypted.includes('private')).toBe(false);
  expect(encrypted.equals(again)).toBe(false);
  const changed = Buffer.from(encrypted);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  for (const [keyId, bytes, secret] of [
    ['b', encrypted, SECRET],
    ['a', encrypted, Buffer.from('another secret of at least 32 bytes')],
    ['a', changed, SECRET],
    ['a', encrypted.subarray(0, 20), SECRET],
  ] as const)
    expect(() => decryptKey(keyId, bytes, secret)).toThrow(KeyDecryptionError);
});
