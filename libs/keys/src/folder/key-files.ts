import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { didOfKey, generatePrivateKey, parsePrivateKey } from '@ssb/identity';
import {
  generateSecret,
  parseConfiguredFile,
  PRIVATE_FILE_MODE,
  readConfiguredFile,
  readEncryptedFile,
  readSecretFile,
  writeEncryptedFile,
} from '@ssb/platform';
import { createKeyRing, fileExists, writeKeyFile } from '../create-keys.js';
import { formatKeyRing, parseKeyRing, type KeyRing, type KeyVersion } from '../domain/key-ring.js';
import { parsePasswordRing } from '../gateway-password.js';
import type { KeyName } from '../names.js';
import { parseOriginKeyRing } from '../origin-keys.js';
import { fingerprintOf } from './fingerprint.js';
import { addBridgePasswords, readGatewayUsers, writeGatewayUsers } from './gateway-users.js';

/** Encrypts the origin key's file. */
export const ENCRYPTION_SECRET_FILE = 'encryption.secret';

/** The public part of a version, without its secret. */
export interface PublicPart {
  /** Only of random secrets, because a guessable one could be found by its fingerprint. */
  readonly fingerprint?: string;
  /** The identity of an origin key. */
  readonly did?: string;
}

/** How one key ring is stored in a folder of keys. */
export interface KeyFile {
  readonly name: KeyName;
  /** Files in the folder: the key ring, then files that change with it. */
  readonly files: readonly { readonly file: string; readonly setting: string }[];
  generate(): string;
  describe(key: KeyVersion): PublicPart;
  read(folder: string): Promise<KeyRing>;
  /** Creates the files that are missing. @returns their names, and those of files that were extended to fit them */
  create(folder: string, now: Date): Promise<string[]>;
  replace(folder: string, before: KeyRing, after: KeyRing): Promise<void>;
}

type StoredRing = Pick<KeyFile, 'generate' | 'read'> & {
  readonly file: string;
  readonly write: (folder: string, ring: KeyRing) => Promise<void>;
};

async function createRing(
  { file, generate, write }: StoredRing,
  folder: string,
  now: Date,
): Promise<string[]> {
  if (await fileExists(join(folder, file))) return [];
  await write(folder, createKeyRing(generate(), now));
  return [file];
}

/** A ring of random secrets, not encrypted. */
function plainRing(file: string, parse: (content: Buffer) => KeyRing): StoredRing {
  return {
    file,
    generate: generateSecret,
    read: async (folder) => {
      const path = join(folder, file);
      const content = await readConfiguredFile(path);
      return parseConfiguredFile(path, () => parse(content));
    },
    write: (folder, ring) => writeKeyFile(join(folder, file), formatKeyRing(ring)),
  };
}

function randomKeys(name: KeyName, setting: string): KeyFile {
  const ring = plainRing(`${name}.keys`, (content) => parseKeyRing(content.toString('utf8')));
  return {
    ...ring,
    name,
    files: [{ file: ring.file, setting }],
    describe: ({ secret }) => ({ fingerprint: fingerprintOf(secret) }),
    create: (folder, now) => createRing(ring, folder, now),
    replace: (folder, _before, after) => ring.write(folder, after),
  };
}

/** The file is encrypted with the secret beside it. */
function originKeys(): KeyFile {
  const file = 'origin.key';
  const encryptionSecret = (folder: string): Promise<Buffer> =>
    readSecretFile(join(folder, ENCRYPTION_SECRET_FILE));
  const ring: StoredRing = {
    file,
    generate: () => generatePrivateKey().toHex(),
    read: async (folder) => {
      const path = join(folder, file);
      const content = await readEncryptedFile(path, await encryptionSecret(folder));
      return parseConfiguredFile(path, () => parseOriginKeyRing(content));
    },
    write: async (folder, after) => {
      const path = join(folder, file);
      await writeEncryptedFile(path, Buffer.from(formatKeyRing(after)), await encryptionSecret(folder));
      await chmod(path, PRIVATE_FILE_MODE);
    },
  };
  return {
    ...ring,
    name: 'origin',
    files: [{ file, setting: 'ORIGIN_KEY_FILE of the bus-publisher' }],
    describe: ({ secret }) => ({ did: didOfKey(parsePrivateKey(secret)) }),
    create: (folder, now) => createRing(ring, folder, now),
    replace: (folder, _before, after) => ring.write(folder, after),
  };
}

/** The app reads the password, and its gateway the hashes in the users file. */
function gatewayPassword(side: 'publisher' | 'subscriber'): KeyFile {
  const name = `gateway-${side}` as const;
  const ring = plainRing(`${name}.password`, parsePasswordRing);
  const usersFile = `${name}.users.json`;
  const app = side === 'publisher' ? 'bus-publisher' : 'subscriber';
  const secretsOf = ({ keys }: KeyRing): string[] => keys.map(({ secret }) => secret);
  return {
    ...ring,
    name,
    files: [
      { file: ring.file, setting: `GATEWAY_PASSWORD_FILE of the ${app}` },
      { file: usersFile, setting: `USERS_FILE of the ${side}'s gateway` },
    ],
    // A password from another source can be guessable.
    describe: () => ({}),
    create: async (folder, now) => {
      const usersPath = join(folder, usersFile);
      const hasPassword = await fileExists(join(folder, ring.file));
      if (hasPassword && (await fileExists(usersPath))) return [];
      const passwords = hasPassword ? await ring.read(folder) : createKeyRing(ring.generate(), now);
      // First the users, so that no password exists that the gateway does not accept.
      await addBridgePasswords(usersPath, secretsOf(passwords));
      if (hasPassword) return [usersFile];
      await ring.write(folder, passwords);
      return [ring.file, usersFile];
    },
    replace: async (folder, before, after) => {
      const usersPath = join(folder, usersFile);
      const users = await readGatewayUsers(usersPath);
      // Until both files are written, the gateway accepts the passwords before and after the change.
      const all = new Set([...secretsOf(before), ...secretsOf(after)]);
      const accepted = await writeGatewayUsers(usersPath, users, [...all]);
      await ring.write(folder, after);
      if (all.size > after.keys.length) await writeGatewayUsers(usersPath, accepted, secretsOf(after));
    },
  };
}

/** The files of each key. */
export const KEY_FILES: Readonly<Record<KeyName, KeyFile>> = {
  integrity: randomKeys('integrity', 'INTEGRITY_KEYS_FILE of the poller and the bus-publisher'),
  'transaction-ids': randomKeys('transaction-ids', 'TRANSACTION_ID_KEYS_FILE of the bus-publisher'),
  origin: originKeys(),
  'gateway-publisher': gatewayPassword('publisher'),
  'gateway-subscriber': gatewayPassword('subscriber'),
};
