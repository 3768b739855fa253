import type { Scope } from '../domain/scopes.js';
import type { SecretHash } from './secret-hash.js';

/** A participant user account: the OAuth client of document 001. */
export interface Account {
  readonly clientId: string;
  readonly secret: SecretHash;
  readonly scopes: readonly Scope[];
}

/** Where accounts are kept. Reading only: accounts are managed elsewhere. */
export interface AccountStore {
  /**
   * The account of exactly this name, as it is now. Repeating is harmless.
   * @returns undefined where there is none
   * @throws Error when the store cannot say
   */
  find(clientId: string): Promise<Account | undefined>;
}

/** Injection token of the account store. */
export const ACCOUNT_STORE = Symbol('ACCOUNT_STORE');
