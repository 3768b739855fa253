import {
  didOfKey,
  generatePrivateKey,
  parsePrivateKey,
  signMessage,
  type Did,
  type DidOptions,
  type PrivateKey,
} from '@ssb/identity';
import {
  ensureDataFolderOf,
  parseConfiguredFile,
  readSecretFile,
  writeEncryptedFile,
  readEncryptedFile,
  type Logger,
} from '@ssb/platform';

/** The broker's own identity. Its signature shows a gateway which broker it logged in to. */
export class BrokerIdentity {
  readonly did: Did;

  constructor(
    private readonly key: PrivateKey,
    form: DidOptions,
  ) {
    this.did = didOfKey(key, form);
  }

  /** EIP-191, 65 bytes, hexadecimal. */
  sign(text: string): string {
    return signMessage(text, this.key);
  }
}

/**
 * Decrypts the key file, or creates it at the first start.
 * @throws EncryptedFileError when another secret encrypted the file, SecretFileError when the secret is missing or too short
 */
export async function openIdentity(
  keyFile: string,
  secretFile: string,
  form: DidOptions,
  log: Logger,
): Promise<BrokerIdentity> {
  const secret = await readSecretFile(secretFile);
  ensureDataFolderOf(keyFile, log);
  try {
    const decrypted = await readEncryptedFile(keyFile, secret);
    const key = parseConfiguredFile(keyFile, () => parsePrivateKey(decrypted.toString('utf8')));
    return new BrokerIdentity(key, form);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const key = generatePrivateKey();
  await writeEncryptedFile(keyFile, Buffer.from(key.toHex()), secret);
  return new BrokerIdentity(key, form);
}
