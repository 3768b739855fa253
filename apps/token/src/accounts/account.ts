import type { Scope } from '../domain/scopes.js';
import type { SecretHash } from '@ssb/platform';

/** Characters. A given secret is stored by its hash, but a short one can be guessed all the same. */
export const MIN_SECRET_LENGTH = 16;
export const MAX_SECRET_LENGTH = 1_024;

/** How long the secret before a rotation may stay good: a month. */
export const MAX_GRACE_SECONDS = 31 * 86_400;

/** A participant user account: the OAuth client of document 001. */
export interface Account {
  /** Its username, the `client_id`. */
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  /** The hash of its password, the `client_secret`; after a rotation with grace, that of the one before as well. */
  readonly secrets: readonly [SecretHash, ...SecretHash[]];
  /** Its tokens are bound to the client certificate that they were asked for with (RFC 8705 §3). */
  readonly bound: boolean;
  /** Gets no more tokens. Those that it has end by themselves. */
  readonly disabled: boolean;
}

/** An account as it may be shown: nothing of its secret. */
export interface AccountDetails extends Omit<Account, 'secrets'> {
  readonly createdAt: Date;
  readonly changedAt: Date;
  /** Until when the secret from before the last rotation is good, where it still is. */
  readonly previousSecretUntil: Date | undefined;
}
