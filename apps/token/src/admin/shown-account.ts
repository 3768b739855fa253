import type { AccountDetails } from '../accounts/account.js';
import type { ManagedAccount } from '../accounts/manage-accounts.js';
import { writeScope } from '../domain/scopes.js';

/** An account as the admin door tells it. Times are ISO 8601, UTC. */
export interface ShownAccount {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly bound: boolean;
  readonly disabled: boolean;
  readonly createdAt: string;
  readonly changedAt: string;
  /** Until when the secret before the last rotation is good as well. */
  readonly previousSecretUntil?: string;
}

export interface AccountAnswer {
  readonly outcome: 'created' | 'replaced' | 'kept' | 'rotated';
  readonly account: ShownAccount;
  /** The secret that was made; it is shown this once and kept nowhere. */
  readonly secret?: string;
}

export interface AccountsAnswer {
  readonly accounts: readonly ShownAccount[];
  /** `after` of the next page, when there is one. */
  readonly next?: string;
}

export function shown(account: AccountDetails): ShownAccount {
  const { clientId, scopes, bound, disabled, createdAt, changedAt, previousSecretUntil } = account;
  return {
    clientId,
    scopes: scopes.map(writeScope),
    bound,
    disabled,
    createdAt: createdAt.toISOString(),
    changedAt: changedAt.toISOString(),
    ...(previousSecretUntil && { previousSecretUntil: previousSecretUntil.toISOString() }),
  };
}

export function answerOf({ account, secret }: ManagedAccount): Omit<AccountAnswer, 'outcome'> {
  return { account: shown(account), ...(secret !== undefined && { secret }) };
}
