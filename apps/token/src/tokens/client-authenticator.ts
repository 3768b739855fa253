import { Injectable } from '@nestjs/common';
import {
  LoginThrottle,
  hashSecret,
  verifySecret,
  Metrics,
  TooManyTasksError,
  type SecretHash,
  VerifiedSecretCache,
  ConcurrencyLimiter,
} from '@ssb/platform';
import { type Account, AccountRepository } from '../accounts/account.repository.js';
import { OAuthError } from '../domain/oauth-error.js';

/** A hash takes about 50 ms of a core and 16 MB of memory. */
const MAX_CONCURRENT_CHECKS = 2;
const MAX_QUEUED_CHECKS = 200;

type Lookup =
  | { readonly isVerified: true; readonly account: Account }
  | { readonly isVerified: false; readonly account: Account | undefined };

/** Authenticates clients by their secret at bounded cost, and throttles guesses by client and by address. */
@Injectable()
export class ClientAuthenticator {
  private readonly throttle = new LoginThrottle();
  private readonly checks = new ConcurrencyLimiter(MAX_CONCURRENT_CHECKS, MAX_QUEUED_CHECKS);
  private readonly verified = new VerifiedSecretCache();
  /** Verified for an unknown client, so that the response time does not show whether a client exists. */
  private readonly decoyHash: Promise<SecretHash> = hashSecret('decoy');
  private readonly hashes;

  constructor(
    private readonly accounts: AccountRepository,
    metrics: Metrics,
  ) {
    this.hashes = metrics.counter({
      name: 'token_secret_hashes_total',
      help: 'Memory-hard hashes that were computed to check a secret',
    });
  }

  /** @throws OAuthError `invalid_client`, or `temporarily_unavailable` (429 while throttled, 503 when overloaded) */
  async authenticate(clientId: string, clientSecret: string, address: string): Promise<Account> {
    const { account, isVerified } = await this.lookUp(clientId, clientSecret, address);
    if (isVerified) return this.accept(account, address);
    try {
      return await this.checks.run(() => this.check(clientId, clientSecret, address));
    } catch (error) {
      if (!(error instanceof TooManyTasksError)) throw error;
      throw new OAuthError('temporarily_unavailable', 'too many requests at once', { retryAfterMs: 1_000 });
    }
  }

  /**
   * Finds the account, and whether this secret is cached as verified. Failures of other clients at the address do not delay a verified
   * client.
   * @throws OAuthError while the client is throttled
   */
  private async lookUp(clientId: string, clientSecret: string, address: string): Promise<Lookup> {
    this.refuseIfPaused(this.throttle.clientPauseFor(clientId, address, Date.now()));
    const account = await this.accounts.find(clientId);
    // A pause may have begun during the query. It also applies to a verified secret, so that the response does not confirm a guess.
    this.refuseIfPaused(this.throttle.clientPauseFor(clientId, address, Date.now()));
    if (account?.secrets.some(({ hash }) => this.verified.has(clientSecret, hash)) === true)
      return { account, isVerified: true };
    const pauseMs = this.throttle.pauseFor(clientId, address, Date.now());
    // Counted as a failure. Otherwise unlimited guesses during a pause of the address could find a verified secret.
    if (pauseMs > 0) this.throttle.clientFailed(clientId, address, Date.now());
    this.refuseIfPaused(pauseMs);
    return { account, isVerified: false };
  }

  private async check(clientId: string, clientSecret: string, address: string): Promise<Account> {
    // Parallel requests may have failed or succeeded while this one was queued.
    const { account, isVerified } = await this.lookUp(clientId, clientSecret, address);
    if (isVerified) return this.accept(account, address);
    for (const stored of account?.secrets ?? [await this.decoyHash]) {
      this.hashes.inc();
      if (!(await verifySecret(clientSecret, stored)) || account === undefined) continue;
      this.verified.add(clientSecret, stored.hash);
      return this.accept(account, address);
    }
    this.throttle.failed(clientId, address, Date.now());
    throw new OAuthError('invalid_client', 'unknown client or wrong secret');
  }

  /** Only a client with the right secret learns that its account is disabled. */
  private accept(account: Account, address: string): Account {
    this.throttle.succeeded(account.clientId, address);
    if (account.disabled) throw new OAuthError('invalid_client', 'the account is disabled');
    return account;
  }

  private refuseIfPaused(pauseMs: number): void {
    if (pauseMs === 0) return;
    throw new OAuthError('temporarily_unavailable', 'too many failures', {
      status: 429,
      retryAfterMs: pauseMs,
    });
  }
}
