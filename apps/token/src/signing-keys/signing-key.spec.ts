import { decryptKey, encryptKey, KeyDecryptionError } from './signing-key.js';

const SECRET = Buffer.from('a secret of at least thirty-two bytes');
const KEY = Buffer.from('{"d":"private"}');

describe('a sealed key', () => {
  it('opens with its name and secret', () => {
    expect(decryptKey('a', encryptKey('a', KEY, SECRET), SECRET)).toEqual(KEY);
  });

  it('shows nothing and is never the same twice', () => {
    const [one, two] = [encryptKey('a', KEY, SECRET), encryptKey('a', KEY, SECRET)];
    expect(one.includes('private')).toBe(false);
    expect(one.equals(two)).toBe(false);
  });

  it.each<[string, (sealed: Buffer) => [string, Buffer, Buffer]]>([
    ['another name', (sealed) => ['b', sealed, SECRET]],
    ['another secret', (sealed) => ['a', sealed, Buffer.from('another secret of at least 32 bytes')]],
    ['a changed byte', (sealed) => ['a', changed(sealed), SECRET]],
    ['a part of it', (sealed) => ['a', sealed.subarray(0, 20), SECRET]],
  ])('does not open with %s', (_, arrange) => {
    const [name, sealed, secret] = arrange(encryptKey('a', KEY, SECRET));
    expect(() => decryptKey(name, sealed, secret)).toThrow(KeyDecryptionError);
  });
});

function changed(sealed: Buffer): Buffer {
  const copy = Buffer.from(sealed);
  copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
  return copy;
}
