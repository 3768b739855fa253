import type { Account, AccountDetails } from './account.js';
import type { SecretHash } from '@ssb/platform';

/** What a new account is made of. */
export interface NewAccount extends Pick<Account, 'clientId' | 'scopes' | 'bound'> {
  readonly secret: SecretHash;
}

export interface AccountPage {
  readonly accounts: readonly AccountDetails[];
  /** Where the next page begins, when there is one. */
  readonly next: string | undefined;
}

/**
 * Where accounts are kept. What a promise resolved for is durable, and every replica sees it with its next question. Every
 * method throws the database's error when it cannot be reached.
 */
export interface AccountStore {
  /** The account of exactly this name, as it is now; undefined where there is none. */
  find(clientId: string): Promise<Account | undefined>;
  details(clientId: string): Promise<AccountDetails | undefined>;
  /** Accounts by name, those behind `after`, `limit` at most. */
  list(after: string, limit: number): Promise<AccountPage>;
  /** Adds the account; false, and nothing is changed, where the name is taken. */
  add(account: NewAccount): Promise<boolean>;
  /** Gives the account these scopes, this binding and this secret alone; one that is disabled stays so. Adds it where it is not there. */
  put(account: NewAccount): Promise<void>;
  /** A new secret; the one before stays good for `graceSeconds`. False where there is no such account. Repeating ends an earlier grace. */
  rotate(clientId: string, secret: SecretHash, graceSeconds: number): Promise<boolean>;
  /** Disables or enables; false where there is no such account. Repeating is harmless. */
  setDisabled(clientId: string, disabled: boolean): Promise<boolean>;
}

/** Injection token of the account store. */
export const ACCOUNT_STORE = Symbol('ACCOUNT_STORE');
