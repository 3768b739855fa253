import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SealedFileError, sealToFile, unsealFromFile } from './sealed-file.js';
import { readSecretFile, SecretFileError } from './secret-file.js';

const secret = Buffer.alloc(32, 7);
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sealed-'));
  file = join(folder, 'deep', 'key.sealed');
});

afterEach(() => rm(folder, { recursive: true }));

describe('a sealed file', () => {
  it('gives back what was sealed', async () => {
    await sealToFile(file, Buffer.from('the key'), secret);
    expect((await unsealFromFile(file, secret)).toString()).toBe('the key');
  });

  it('does not hold the plaintext, and only its owner may read it', async () => {
    await sealToFile(file, Buffer.from('the key'), secret);
    expect((await readFile(file)).includes('the key')).toBe(false);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('looks different each time', async () => {
    await sealToFile(file, Buffer.from('the key'), secret);
    const first = await readFile(file);
    await sealToFile(file, Buffer.from('the key'), secret);
    expect((await readFile(file)).equals(first)).toBe(false);
  });

  it('does not open with another secret', async () => {
    await sealToFile(file, Buffer.from('the key'), secret);
    await expect(unsealFromFile(file, Buffer.alloc(32, 8))).rejects.toThrow(SealedFileError);
  });

  it('does not open when any one byte was changed', async () => {
    await sealToFile(file, Buffer.from('the key'), secret);
    const whole = await readFile(file);
    for (let at = 0; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      await writeFile(file, damaged);
      await expect(unsealFromFile(file, secret)).rejects.toThrow(SealedFileError);
    }
  });

  it.each([
    ['too short to be one', 'SEALED1\n', 'damaged'],
    ['another kind of file', '-----BEGIN PRIVATE KEY-----\n', 'not a sealed file'],
  ])('is refused as %s', async (_, content, reason) => {
    await writeFile(join(folder, 'other'), content);
    await expect(unsealFromFile(join(folder, 'other'), secret)).rejects.toThrow(reason);
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

  it('is named when it is missing', async () => {
    await expect(readSecretFile(join(folder, 'none'))).rejects.toThrow(SecretFileError);
  });
});
