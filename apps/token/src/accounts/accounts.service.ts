import { Inject, Injectable } from '@nestjs/common';
import { generateSecret, hashSecret, LOGGER, type LogFields, type Logger, SETTINGS } from '@ssb/platform';
import { mergeScopes, type Scope, formatScopes } from '../domain/scopes.js';
import type { Settings } from '../settings.js';
import { type AccountDetails, type AccountPage, AccountRepository } from './account.repository.js';

export interface CreateAccountOptions {
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly bound: boolean;
  /** One is made when undefined. */
  readonly secret: string | undefined;
  /** What to do when the name is taken. */
  readonly ifExists: 'refuse' | 'keep' | 'replace';
}

export interface AccountResult {
  readonly account: AccountDetails;
  /** The secret that was made, toAccountView this once. Undefined when the caller gave its own, or none was needed. */
  readonly secret: string | undefined;
}

/** There is an account of this name already. */
export class AccountExistsError extends Error {
  override readonly name = 'AccountExistsError';

  constructor(readonly clientId: string) {
    super(`there is an account ${clientId} already`);
  }
}

/** There is no account of this name. */
export class AccountNotFoundError extends Error {
  override readonly name = 'AccountNotFoundError';

  constructor(readonly clientId: string) {
    super(`there is no account ${clientId}`);
  }
}

/** Tokens cannot be bound, as the service asks nobody for a client certificate. */
export class BindingUnavailableError extends Error {
  override readonly name = 'BindingUnavailableError';

  constructor() {
    super('this service asks for no client certificates; it does with CLIENT_CA_FILE set');
  }
}

/** What an administrator does with accounts. Each step is logged, without any secret. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly accounts: AccountRepository,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'CLIENT_CA_FILE'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @throws AccountExistsError, BindingUnavailableError */
  async create(
    wanted: CreateAccountOptions,
  ): Promise<AccountResult & { outcome: 'created' | 'replaced' | 'kept' }> {
    const { clientId, bound, ifExists } = wanted;
    if (bound && this.settings.CLIENT_CA_FILE === undefined) throw new BindingUnavailableError();
    const there = await this.accounts.find(clientId);
    if (there !== undefined && ifExists !== 'replace') return keep(there, ifExists);
    const secret = wanted.secret ?? generateSecret();
    const account = { clientId, bound, scopes: mergeScopes(wanted.scopes), secret: await hashSecret(secret) };
    if (ifExists === 'replace') await this.accounts.put(account);
    // Another request may have taken the name in the meantime.
    else if (!(await this.accounts.add(account))) return keep(await this.accountOf(clientId), ifExists);
    const outcome = there === undefined ? 'created' : 'replaced';
    this.note(`account-${outcome}`, clientId, { scopes: formatScopes(account.scopes), bound });
    const toAccountView = wanted.secret === undefined ? secret : undefined;
    return { outcome, account: await this.accountOf(clientId), secret: toAccountView };
  }

  list(after: string, limit: number): Promise<AccountPage> {
    return this.accounts.list(after, limit);
  }

  /**
   * Gives the account a new secret.
   * @param given the new secret; one is made when undefined
   * @param graceSeconds how long the one before stays good as well
   * @throws AccountNotFoundError
   */
  async rotate(clientId: string, given: string | undefined, graceSeconds: number): Promise<AccountResult> {
    const secret = given ?? generateSecret();
    if (!(await this.accounts.rotate(clientId, await hashSecret(secret), graceSeconds)))
      throw new AccountNotFoundError(clientId);
    this.note('account-secret-rotated', clientId, { graceSeconds });
    return { account: await this.accountOf(clientId), secret: given === undefined ? secret : undefined };
  }

  /** Disables or enables the account. @throws AccountNotFoundError */
  async setDisabled(clientId: string, disabled: boolean): Promise<AccountDetails> {
    if (!(await this.accounts.setDisabled(clientId, disabled))) throw new AccountNotFoundError(clientId);
    this.note(disabled ? 'account-disabled' : 'account-enabled', clientId, {});
    return this.accountOf(clientId);
  }

  private async accountOf(clientId: string): Promise<AccountDetails> {
    const account = await this.accounts.find(clientId);
    if (account === undefined) throw new AccountNotFoundError(clientId);
    return account;
  }

  private note(step: string, clientId: string, more: LogFields): void {
    this.log.info({ step, clientId, ...more }, step.replaceAll('-', ' '));
  }
}

function keep(
  account: AccountDetails,
  ifExists: 'refuse' | 'keep',
): AccountResult & { readonly outcome: 'kept' } {
  if (ifExists === 'refuse') throw new AccountExistsError(account.clientId);
  return { outcome: 'kept', account, secret: undefined };
}
