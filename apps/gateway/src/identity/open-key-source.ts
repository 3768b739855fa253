import { readSecretFile, SecretFileError } from '@ssb/platform';
import type { Settings } from '../settings.js';
import type { KeySource } from './key-source.js';
import { MountedKey, type MountedKeyOptions } from './mounted-key.js';
import { SealedKey } from './sealed-key.js';

type SourceSettings = Pick<
  Settings,
  | 'DATA_FOLDER'
  | 'IDENTITY_SECRET'
  | 'IDENTITY_SECRET_FILE'
  | 'IDENTITY_KEY_FILE'
  | 'FILES_RELOAD_INTERVAL_MS'
>;

const LEAST_BYTES = 32;

/** A mounted key when IDENTITY_KEY_FILE names one, otherwise the sealed file. @throws Error when the settings do not say which */
export async function openKeySource(
  settings: SourceSettings,
  told: Pick<MountedKeyOptions, 'log' | 'changed'>,
): Promise<KeySource> {
  const { IDENTITY_KEY_FILE: mounted, IDENTITY_SECRET_FILE: file, IDENTITY_SECRET: secret } = settings;
  const named = [mounted, file, secret].filter((each) => each !== undefined);
  if (named.length !== 1) {
    throw new Error('Set one of IDENTITY_SECRET_FILE, IDENTITY_SECRET and IDENTITY_KEY_FILE, and only one.');
  }
  if (mounted !== undefined) {
    return new MountedKey({ path: mounted, intervalMs: settings.FILES_RELOAD_INTERVAL_MS, ...told });
  }
  return new SealedKey(settings.DATA_FOLDER, file ? await readSecretFile(file) : secretOf(secret ?? ''));
}

/** As a secret file: white space at its ends does not count. */
function secretOf(text: string): Buffer {
  const secret = Buffer.from(text.trim());
  if (secret.length >= LEAST_BYTES) return secret;
  throw new SecretFileError(
    `IDENTITY_SECRET holds ${secret.length} bytes; at least ${LEAST_BYTES} are needed.`,
  );
}
