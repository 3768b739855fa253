import { Injectable } from '@nestjs/common';
import {
  GuessLimit,
  hashSecret,
  isSecret,
  Metrics,
  NoSlotError,
  type SecretHash,
  VerifiedSecrets,
  WorkSlots,
} from '@ssb/platform';
import { OAuthError } from '../domain/oauth-error.js';
import { type Account, AccountRepository } from '../accounts/account.repository.js';

/** Hashing one secret takes some 50 ms of a core and 16 MB: this many at once, and this many in line. */
const CHECKS_AT_ONCE = 2;
const CHECKS_IN_LINE = 200;

type Found =
  | { readonly isRecognised: true; readonly account: Account }
  | { readonly isRecognised: false; readonly account: Account | undefined };

/** Tells whether a client is who it says it is, at bounded cost, and slows whoever guesses. */
@Injectable()
export class ClientAuthenticator {
  private readonly guesses = new GuessLimit();
  private readonly slots = new WorkSlots(CHECKS_AT_ONCE, CHECKS_IN_LINE);
  private readonly verified = new VerifiedSecrets();
  /** Checked for a client that does not exist, so that its answer takes as long as any. */
  private readonly nobodysSecret: Promise<SecretHash> = hashSecret('nobody');
  private readonly hashed;

  constructor(
    private readonly accounts: AccountRepository,
    metrics: Metrics,
  ) {
    this.hashed = metrics.counter({
      name: 'token_secret_hashes_total',
      help: 'Memory-hard hashes that were computed to check a secret',
    });
  }

  /** @throws OAuthError `invalid_client`, or `temporarily_unavailable` (429 for guessing, 503 for too much work) */
  async verify(clientId: string, clientSecret: string, address: string): Promise<Account> {
    const found = await this.lookUp(clientId, clientSecret, address);
    if (found.isRecognised) return this.admit(found.account, address);
    try {
      return await this.slots.run(() => this.check(clientId, clientSecret, address));
    } catch (error) {
      if (!(error instanceof NoSlotError)) throw error;
      throw new OAuthError('temporarily_unavailable', 'too many requests at once', { retryAfterMs: 1_000 });
    }
  }

  /**
   * The account, and whether this very secret was found right before: then no place in line is needed, and nobody has to wait for what
   * others at the same address, a proxy perhaps, do wrong.
   * @throws OAuthError for a client that has to wait before its secret is looked at
   */
  private async lookUp(clientId: string, clientSecret: string, address: string): Promise<Found> {
    this.refuseFor(this.guesses.ownPauseFor(clientId, address, Date.now()));
    const account = await this.accounts.find(clientId);
    // A pause that began meanwhile holds for a known secret as well: else it would be told from the guesses beside it.
    this.refuseFor(this.guesses.ownPauseFor(clientId, address, Date.now()));
    if (account?.secrets.some(({ hash }) => this.verified.has(clientSecret, hash)) === true)
      return { account, isRecognised: true };
    const pauseMs = this.guesses.pauseFor(clientId, address, Date.now());
    // Counted: else a guess could be told from the known secret in this pause, as often as one likes.
    if (pauseMs > 0) this.guesses.ownFailed(clientId, address, Date.now());
    this.refuseFor(pauseMs);
    return { account, isRecognised: false };
  }

  private async check(clientId: string, clientSecret: string, address: string): Promise<Account> {
    // Looked up once more: what was sent in parallel may have failed, or been found right, while this one was in line.
    const { account, isRecognised } = await this.lookUp(clientId, clientSecret, address);
    if (isRecognised) return this.admit(account, address);
    for (const stored of account?.secrets ?? [await this.nobodysSecret]) {
      this.hashed.inc();
      if (!(await isSecret(clientSecret, stored)) || account === undefined) continue;
      this.verified.remember(clientSecret, stored.hash);
      return this.admit(account, address);
    }
    this.guesses.failed(clientId, address, Date.now());
    throw new OAuthError('invalid_client', 'unknown client or wrong secret');
  }

  /** Who knows the secret may know that the account is disabled; nobody else learns that it exists. */
  private admit(account: Account, address: string): Account {
    this.guesses.succeeded(account.clientId, address);
    if (account.disabled) throw new OAuthError('invalid_client', 'the account is disabled');
    return account;
  }

  private refuseFor(retryAfterMs: number): void {
    if (retryAfterMs === 0) return;
    throw new OAuthError('temporarily_unavailable', 'too many failures', { status: 429, retryAfterMs });
  }
}
