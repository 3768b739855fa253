import { createDecipheriv, hkdfSync } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  decrypt,
  encrypt,
  EncryptedFileError,
  readEncryptedFile,
  readSecretFile,
  SecretFileError,
  writeEncryptedFile,
  type EncryptionContext,
} from './encrypted-file.js';

describe('an encrypted text', () => {
  const TEXT = Buffer.from('the private text');
  const CONTEXT: EncryptionContext = {
    secret: Buffer.alloc(32, 7),
    purpose: 'a test',
    label: Buffer.from('its name'),
  };

  it('is AES-256-GCM under a key of HKDF-SHA-256: salt, nonce, tag, ciphertext', () => {
    const encrypted = encrypt(TEXT, CONTEXT);
    const key = hkdfSync('sha256', CONTEXT.secret, encrypted.subarray(0, 16), 'a test', 32);
    const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key), encrypted.subarray(16, 28));
    decipher.setAAD(Buffer.from('its name'));
    decipher.setAuthTag(encrypted.subarray(28, 44));
    const decrypted = decipher.update(encrypted.subarray(44), undefined, 'utf8') + decipher.final('utf8');
    expect(decrypted).toBe('the private text');
    expect(decrypt(encrypted, CONTEXT)).toEqual(TEXT);
  });

  it('shows nothing and is never the same twice', () => {
    const [one, two] = [encrypt(TEXT, CONTEXT), encrypt(TEXT, CONTEXT)];
    expect(one.includes('private')).toBe(false);
    expect(one.equals(two)).toBe(false);
  });

  it.each<[string, EncryptionContext]>([
    ['another secret', { ...CONTEXT, secret: Buffer.alloc(32, 8) }],
    ['another purpose', { ...CONTEXT, purpose: 'another test' }],
    ['another label', { ...CONTEXT, label: Buffer.from('another name') }],
  ])('is not decrypted with %s', (_, context) => {
    expect(decrypt(encrypt(TEXT, CONTEXT), context)).toBeUndefined();
  });

  it('is not decrypted when any one byte was changed, or when any were cut off', () => {
    const encrypted = encrypt(TEXT, CONTEXT);
    for (let index = 0; index < encrypted.length; index += 1) {
      const damaged = Buffer.from(encrypted);
      damaged[index] = (damaged[index] ?? 0) ^ 1;
      expect(decrypt(damaged, CONTEXT)).toBeUndefined();
      expect(decrypt(encrypted.subarray(0, index), CONTEXT)).toBeUndefined();
    }
  });
});

const secret = Buffer.alloc(32, 7);
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'encrypted-file-'));
  file = join(folder, 'deep', 'key.encrypted');
});

afterEach(() => rm(folder, { recursive: true }));

describe('an encrypted file', () => {
  it('returns what was written with the same secret only, never holds it, and only its owner may read it', async () => {
    await writeEncryptedFile(file, Buffer.from('the key'), secret);
    expect((await readEncryptedFile(file, secret)).toString()).toBe('the key');
    await expect(readEncryptedFile(file, Buffer.alloc(32, 8))).rejects.toThrow(EncryptedFileError);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const content = await readFile(file);
    expect(content.includes('the key')).toBe(false);
    content[content.length - 1] = (content.at(-1) ?? 0) ^ 1;
    await writeFile(file, content);
    await expect(readEncryptedFile(file, secret)).rejects.toThrow(EncryptedFileError);
  });

  it.each([
    ['too short', 'ENCRYPTED1\n', 'damaged'],
    ['another kind of file', '-----BEGIN PRIVATE KEY-----\n', 'not an encrypted file'],
  ])('is refused when it is %s', async (_, content, reason) => {
    await writeFile(join(folder, 'other'), content);
    await expect(readEncryptedFile(join(folder, 'other'), secret)).rejects.toThrow(reason);
  });
});

describe('a secret file', () => {
  it('is read without the white space at its ends', async () => {
    await writeFile(join(folder, 'secret'), `${'s'.repeat(32)}\n`);
    expect((await readSecretFile(join(folder, 'secret'))).toString()).toBe('s'.repeat(32));
  });

  it('is refused when it is shorter than 32 bytes', async () => {
    await writeFile(join(folder, 'secret'), 's'.repeat(31));
    await expect(readSecretFile(join(folder, 'secret'))).rejects.toThrow('holds 31 bytes; at least 32');
  });

  it('is named in the error when it is missing', async () => {
    await expect(readSecretFile(join(folder, 'none'))).rejects.toThrow(SecretFileError);
  });
});
