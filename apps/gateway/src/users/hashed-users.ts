import { createHmac, randomBytes } from 'node:crypto';
import { hashSecret, type SecretHash } from '@ssb/platform';
import { PasswordHashError, readPasswordHash } from './password-hash.js';
import type { User } from './user.js';
import type { ListedUser } from './users-file.js';

/** Makes users of what an operator listed. A password that was hashed before keeps its hash, and with it whoever is remembered by it. */
export class HashedUsers {
  private readonly key = randomBytes(32);

  /** @throws Error that names the user whose passwordHash is none */
  async of(
    listed: readonly ListedUser[],
    before: ReadonlyMap<string, User>,
  ): Promise<ReadonlyMap<string, User>> {
    const users = new Map<string, User>();
    // One after the other: each hash takes memory.
    for (const { name, password, passwordHash, rights } of listed) {
      const credential = this.credentialOf(password, passwordHash);
      const known = before.get(name);
      const hash =
        known?.credential === credential ? known.passwordHash : await hashOf(name, password, passwordHash);
      users.set(name, { name, credential, passwordHash: hash, rights: new Set(rights) });
    }
    return users;
  }

  private credentialOf(password: string | undefined, passwordHash: string | undefined): string {
    const text = passwordHash === undefined ? `password ${password}` : `hash ${passwordHash}`;
    return createHmac('sha256', this.key).update(text).digest('base64');
  }
}

async function hashOf(name: string, password = '', passwordHash?: string): Promise<SecretHash> {
  if (passwordHash === undefined) return hashSecret(password);
  try {
    return readPasswordHash(passwordHash);
  } catch (error) {
    if (!(error instanceof PasswordHashError)) throw error;
    throw new Error(`The password hash of the user ${name} is refused: ${error.message}.`, { cause: error });
  }
}
