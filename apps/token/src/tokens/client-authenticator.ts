import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type LoginVerdict, Metrics, RETRY_AFTER_MS, SecretVerifier } from '@ssb/platform';
import { type Account, AccountRepository } from '../accounts/account.repository.js';
import { OAuthError } from '../domain/oauth-error.js';
import { METRICS } from '../metrics.js';

/** Characters; an account has at most 100. */
const MAX_CLIENT_ID_LENGTH = 128;

/** Authenticates clients by their secret. A client with a verified secret never waits, whatever other clients try. */
@Injectable()
export class ClientAuthenticator implements OnModuleDestroy {
  private readonly secrets: SecretVerifier;

  constructor(
    private readonly accounts: AccountRepository,
    metrics: Metrics,
  ) {
    const hashes = metrics.counter(METRICS.secretHashes);
    this.secrets = new SecretVerifier({ onHash: () => hashes.inc() });
  }

  /** Before the server closes, so that its shutdown does not wait for delayed responses. */
  onModuleDestroy(): void {
    this.secrets.close();
  }

  /** @throws OAuthError `invalid_client`, or `temporarily_unavailable` (429) when too many attempts for the client wait */
  async authenticate(clientId: string, clientSecret: string, address: string): Promise<Account> {
    if (clientId.length > MAX_CLIENT_ID_LENGTH)
      throw new OAuthError('invalid_client', 'unknown client or wrong secret');
    const found = await this.accounts.find(clientId);
    const hashes = found?.secrets ?? [];
    const verdict = this.secrets.verify({ name: clientId, address, secret: clientSecret, hashes });
    // The account may change while the attempt waits.
    const account = verdict instanceof Promise ? await this.findAfter(verdict, clientId) : found;
    if (account === undefined || !this.secrets.isKnown(clientSecret, account.secrets))
      throw new OAuthError('invalid_client', 'unknown client or wrong secret');
    // Only a client with the right secret learns that its account is disabled.
    if (account.disabled) throw new OAuthError('invalid_client', 'the account is disabled');
    return account;
  }

  private async findAfter(pending: Promise<LoginVerdict>, clientId: string): Promise<Account | undefined> {
    switch (await pending) {
      case 'right':
        return this.accounts.find(clientId);
      case 'wrong':
        return undefined;
      case 'busy':
        throw new OAuthError('temporarily_unavailable', 'too many failures', {
          status: 429,
          retryAfterMs: RETRY_AFTER_MS,
        });
    }
  }
}
