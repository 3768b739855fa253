import { decryptKey, encryptKey, KeyDecryptionError } from './signing-key.js';

const SECRET = Buffer.from('a secret of at least thirty-two bytes');
const KEY = Buffer.from('{"d":"private"}');

describe('an encrypted key', () => {
  it('is decrypted with its key id and secret', () => {
    expect(decryptKey('a', encryptKey('a', KEY, SECRET), SECRET)).toEqual(KEY);
  });

  it('does not contain the plaintext and differs each time', () => {
    const [one, two] = [encryptKey('a', KEY, SECRET), encryptKey('a', KEY, SECRET)];
    expect(one.includes('private')).toBe(false);
    expect(one.equals(two)).toBe(false);
  });

  it.each<[string, (encrypted: Buffer) => [string, Buffer, Buffer]]>([
    ['another key id', (encrypted) => ['b', encrypted, SECRET]],
    ['another secret', (encrypted) => ['a', encrypted, Buffer.from('another secret of at least 32 bytes')]],
    ['a changed byte', (encrypted) => ['a', flipLastBit(encrypted), SECRET]],
    ['a part of it', (encrypted) => ['a', encrypted.subarray(0, 20), SECRET]],
  ])('is not decrypted with %s', (_, arrange) => {
    const [keyId, encrypted, secret] = arrange(encryptKey('a', KEY, SECRET));
    expect(() => decryptKey(keyId, encrypted, secret)).toThrow(KeyDecryptionError);
  });
});

function flipLastBit(encrypted: Buffer): Buffer {
  const copy = Buffer.from(encrypted);
  copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
  return copy;
}
