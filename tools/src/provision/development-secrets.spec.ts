import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { didOfKey, generatePrivateKey } from '@ssb/identity';
import { KeyFolder } from '@ssb/keys';
import { writeEncryptedFile } from '@ssb/platform';
import { ensureDevelopmentSecrets } from './development-secrets.js';

it('keeps the origin key and the passwords of a folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'development-secrets-'));
  try {
    const encryptionSecret = 'e'.repeat(43);
    const key = generatePrivateKey();
    const origin = join(folder, 'secrets', 'origin.key');
    mkdirSync(join(folder, 'secrets'), { mode: 0o700 });
    writeFileSync(join(folder, 'secrets', 'encryption.secret'), encryptionSecret);
    writeFileSync(join(folder, 'secrets', 'gateway-publisher.password'), 'p'.repeat(43));
    await writeEncryptedFile(origin, Buffer.from(key.toHex()), Buffer.from(encryptionSecret));

    const { originDid, gateways } = await ensureDevelopmentSecrets(folder, 'WPGENCO');
    expect(originDid).toBe(didOfKey(key));
    expect(readFileSync(gateways.publisher.passwordFile, 'utf8')).toBe('p'.repeat(43));
    const { versions } = (await new KeyFolder(join(folder, 'secrets')).report(new Date()))[2] ?? {};
    expect(versions).toEqual([expect.objectContaining({ version: 1, state: 'active', did: originDid })]);
    expect((await ensureDevelopmentSecrets(folder, 'WPGENCO')).originDid).toBe(originDid);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
