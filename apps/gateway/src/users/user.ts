import type { SecretHash } from '@ssb/platform';
import type { Right } from '../domain/rights.js';

/** A user with the hash of its password; plain passwords are hashed when they are read, so that every check costs the same. */
export interface User {
  readonly name: string;
  readonly passwordHash: SecretHash;
  readonly rights: ReadonlySet<Right>;
  /** The same as long as the password is the same, in this process alone; tells nothing of it. */
  readonly credential: string;
}
