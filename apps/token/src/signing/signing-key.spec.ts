import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SealedFileError, SecretFileError } from '@ssb/platform';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSigningKey } from './signing-key.js';

let folder: string;
let keyFile: string;
let secretFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signing-key-'));
  keyFile = join(folder, 'key');
  secretFile = join(folder, 'secret');
  await writeFile(secretFile, 'a secret of at least thirty-two bytes');
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('loadSigningKey', () => {
  it('makes a key once and finds it again', async () => {
    const made = await loadSigningKey(keyFile, secretFile);
    const found = await loadSigningKey(keyFile, secretFile);
    expect(found.publicJwk).toEqual(made.publicJwk);
    expect(found.keyId).toBe(made.keyId);
  });

  it('shows nothing of the private half', async () => {
    const { publicJwk } = await loadSigningKey(keyFile, secretFile);
    expect(Object.keys(publicJwk).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    expect((await readFile(keyFile)).includes('"d"')).toBe(false);
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  });

  it('does not replace a key that it cannot open', async () => {
    await loadSigningKey(keyFile, secretFile);
    const before = await readFile(keyFile);
    await writeFile(secretFile, 'another secret of at least 32 bytes');
    await expect(loadSigningKey(keyFile, secretFile)).rejects.toThrow(SealedFileError);
    expect(await readFile(keyFile)).toEqual(before);
  });

  it('refuses a short secret', async () => {
    await writeFile(secretFile, 'short');
    await expect(loadSigningKey(keyFile, secretFile)).rejects.toThrow(SecretFileError);
  });
});
