import { Inject, Injectable } from '@nestjs/common';
import { generateSecret, hashSecret, LOGGER, type LogFields, type Logger, SETTINGS } from '@ssb/platform';
import { mergeScopes, type Scope, writeScopes } from '../domain/scopes.js';
import type { Settings } from '../settings.js';
import { type AccountDetails, type AccountPage, AccountRepository } from './account-repository.js';

export interface CreateAccount {
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly bound: boolean;
  /** One is made when undefined. */
  readonly secret: string | undefined;
  /** What to do when the name is taken. */
  readonly ifThere: 'refuse' | 'keep' | 'replace';
}

export interface ManagedAccount {
  readonly account: AccountDetails;
  /** The secret that was made, shown this once. Undefined when the caller gave its own, or none was needed. */
  readonly secret: string | undefined;
}

/** There is an account of this name already. */
export class AccountTakenError extends Error {
  override readonly name = 'AccountTakenError';

  constructor(readonly clientId: string) {
    super(`there is an account ${clientId} already`);
  }
}

/** There is no account of this name. */
export class NoSuchAccountError extends Error {
  override readonly name = 'NoSuchAccountError';

  constructor(readonly clientId: string) {
    super(`there is no account ${clientId}`);
  }
}

/** Tokens cannot be bound, as the service asks nobody for a client certificate. */
export class NoBindingError extends Error {
  override readonly name = 'NoBindingError';

  constructor() {
    super('this service asks for no client certificates; it does with CLIENT_CA_FILE set');
  }
}

/** What an administrator does with accounts. Each step is logged, without any secret. */
@Injectable()
export class ManageAccounts {
  constructor(
    private readonly accounts: AccountRepository,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'CLIENT_CA_FILE'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @throws AccountTakenError, NoBindingError */
  async create(
    wanted: CreateAccount,
  ): Promise<ManagedAccount & { outcome: 'created' | 'replaced' | 'kept' }> {
    const { clientId, bound, ifThere } = wanted;
    if (bound && this.settings.CLIENT_CA_FILE === undefined) throw new NoBindingError();
    const there = await this.accounts.find(clientId);
    if (there !== undefined && ifThere !== 'replace') return keep(there, ifThere);
    const secret = wanted.secret ?? generateSecret();
    const account = { clientId, bound, scopes: mergeScopes(wanted.scopes), secret: await hashSecret(secret) };
    if (ifThere === 'replace') await this.accounts.put(account);
    // Another request may have taken the name in the meantime.
    else if (!(await this.accounts.add(account))) return keep(await this.accountOf(clientId), ifThere);
    const outcome = there === undefined ? 'created' : 'replaced';
    this.note(`account-${outcome}`, clientId, { scopes: writeScopes(account.scopes), bound });
    const shown = wanted.secret === undefined ? secret : undefined;
    return { outcome, account: await this.accountOf(clientId), secret: shown };
  }

  list(after: string, limit: number): Promise<AccountPage> {
    return this.accounts.list(after, limit);
  }

  /**
   * Gives the account a new secret.
   * @param given the new secret; one is made when undefined
   * @param graceSeconds how long the one before stays good as well
   * @throws NoSuchAccountError
   */
  async rotate(clientId: string, given: string | undefined, graceSeconds: number): Promise<ManagedAccount> {
    const secret = given ?? generateSecret();
    if (!(await this.accounts.rotate(clientId, await hashSecret(secret), graceSeconds)))
      throw new NoSuchAccountError(clientId);
    this.note('account-secret-rotated', clientId, { graceSeconds });
    return { account: await this.accountOf(clientId), secret: given === undefined ? secret : undefined };
  }

  /** Disables or enables the account. @throws NoSuchAccountError */
  async setDisabled(clientId: string, disabled: boolean): Promise<AccountDetails> {
    if (!(await this.accounts.setDisabled(clientId, disabled))) throw new NoSuchAccountError(clientId);
    this.note(disabled ? 'account-disabled' : 'account-enabled', clientId, {});
    return this.accountOf(clientId);
  }

  private async accountOf(clientId: string): Promise<AccountDetails> {
    const account = await this.accounts.find(clientId);
    if (account === undefined) throw new NoSuchAccountError(clientId);
    return account;
  }

  private note(step: string, clientId: string, more: LogFields): void {
    this.log.info({ step, clientId, ...more }, step.replaceAll('-', ' '));
  }
}

function keep(
  account: AccountDetails,
  ifThere: 'refuse' | 'keep',
): ManagedAccount & { readonly outcome: 'kept' } {
  if (ifThere === 'refuse') throw new AccountTakenError(account.clientId);
  return { outcome: 'kept', account, secret: undefined };
}
