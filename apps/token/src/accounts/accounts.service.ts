import { Inject, Injectable } from '@nestjs/common';
import {
  generateSecret,
  hashGeneratedSecret,
  hashSecret,
  LOGGER,
  type Logger,
  type SecretHash,
  SETTINGS,
} from '@ssb/platform';
import { formatScopes, mergeScopes, type Scope } from '../domain/scopes.js';
import type { Settings } from '../settings.js';
import { type AccountDetails, type AccountPage, AccountRepository } from './account.repository.js';

export interface CreateAccountOptions {
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly bound: boolean;
  /** A secret is generated when undefined. */
  readonly secret: string | undefined;
  /** What to do if an account with this client id exists. */
  readonly ifExists: 'refuse' | 'keep' | 'replace';
}

export interface AccountResult {
  readonly account: AccountDetails;
  /** The generated secret, which is not stored; undefined if none was generated. */
  readonly secret: string | undefined;
}

export interface CreateAccountResult extends AccountResult {
  readonly outcome: 'created' | 'replaced' | 'kept';
}

export class AccountExistsError extends Error {
  override readonly name = 'AccountExistsError';

  constructor(readonly clientId: string) {
    super(`there is an account ${clientId} already`);
  }
}

export class AccountNotFoundError extends Error {
  override readonly name = 'AccountNotFoundError';

  constructor(readonly clientId: string) {
    super(`there is no account ${clientId}`);
  }
}

/** Tokens cannot be bound, because the service does not request client certificates. */
export class BindingUnavailableError extends Error {
  override readonly name = 'BindingUnavailableError';

  constructor() {
    super('this service requests no client certificates; set CLIENT_CA_FILE to bind tokens');
  }
}

interface StoredSecret {
  readonly generated: string | undefined;
  readonly hash: SecretHash;
}

/** The operations of the admin API. Each change is logged, without secrets. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly accounts: AccountRepository,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'CLIENT_CA_FILE'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @throws AccountExistsError, BindingUnavailableError */
  async create(options: CreateAccountOptions): Promise<CreateAccountResult> {
    const { clientId, bound, ifExists } = options;
    if (bound && this.settings.CLIENT_CA_FILE === undefined) throw new BindingUnavailableError();
    const existing = await this.accounts.find(clientId);
    if (existing !== undefined && ifExists !== 'replace') return keepExisting(existing, ifExists);
    const scopes = mergeScopes(options.scopes);
    const { generated, hash } = await toStoredSecret(options.secret);
    const account = { clientId, bound, scopes, secret: hash };
    if (ifExists === 'replace') {
      await this.accounts.put(account);
    } else if (!(await this.accounts.add(account))) {
      // A parallel request has created it.
      return keepExisting(await this.get(clientId), ifExists);
    }
    const fields = { clientId, scopes: formatScopes(scopes), bound };
    const outcome = existing === undefined ? 'created' : 'replaced';
    if (outcome === 'created') this.log.info({ step: 'account-created', ...fields }, 'account created');
    else this.log.info({ step: 'account-replaced', ...fields }, 'account replaced');
    return { outcome, account: await this.get(clientId), secret: generated };
  }

  list(after: string, limit: number): Promise<AccountPage> {
    return this.accounts.list(after, limit);
  }

  /**
   * Sets a new secret.
   * @param newSecret a secret is generated when undefined
   * @param graceSeconds how long the previous secret stays valid
   * @throws AccountNotFoundError
   */
  async rotate(
    clientId: string,
    newSecret: string | undefined,
    graceSeconds: number,
  ): Promise<AccountResult> {
    const { generated, hash } = await toStoredSecret(newSecret);
    if (!(await this.accounts.rotate(clientId, hash, graceSeconds))) throw new AccountNotFoundError(clientId);
    this.log.info({ step: 'account-secret-rotated', clientId, graceSeconds }, 'account secret rotated');
    return { account: await this.get(clientId), secret: generated };
  }

  /** @throws AccountNotFoundError */
  async disable(clientId: string): Promise<AccountDetails> {
    if (!(await this.accounts.setDisabled(clientId, true))) throw new AccountNotFoundError(clientId);
    this.log.info({ step: 'account-disabled', clientId }, 'account disabled');
    return this.get(clientId);
  }

  /** @throws AccountNotFoundError */
  async enable(clientId: string): Promise<AccountDetails> {
    if (!(await this.accounts.setDisabled(clientId, false))) throw new AccountNotFoundError(clientId);
    this.log.info({ step: 'account-enabled', clientId }, 'account enabled');
    return this.get(clientId);
  }

  private async get(clientId: string): Promise<AccountDetails> {
    const account = await this.accounts.find(clientId);
    if (account === undefined) throw new AccountNotFoundError(clientId);
    return account;
  }
}

/** Generates a secret when none is given. Only a generated one has a fast hash, because it cannot be guessed. */
async function toStoredSecret(given: string | undefined): Promise<StoredSecret> {
  if (given !== undefined) return { generated: undefined, hash: await hashSecret(given) };
  const generated = generateSecret();
  return { generated, hash: hashGeneratedSecret(generated) };
}

function keepExisting(account: AccountDetails, ifExists: 'refuse' | 'keep'): CreateAccountResult {
  if (ifExists === 'refuse') throw new AccountExistsError(account.clientId);
  return { outcome: 'kept', account, secret: undefined };
}
