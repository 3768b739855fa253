import { Inject, Injectable } from '@nestjs/common';
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
import { OAuthError } from '../oauth-error.js';
import type { Account } from './account.js';
import { ACCOUNT_STORE, type AccountStore } from './account-store.js';

/** Hashing one secret takes some 50 ms of a core and 16 MB: this many at once, and this many in line. */
const CHECKS_AT_ONCE = 2;
const CHECKS_IN_LINE = 200;

/** Tells whether a client is who it says it is, at bounded cost, and slows whoever guesses. */
@Injectable()
export class VerifyClient {
  private readonly guesses = new GuessLimit();
  private readonly slots = new WorkSlots(CHECKS_AT_ONCE, CHECKS_IN_LINE);
  private readonly verified = new VerifiedSecrets();
  /** Checked for a client that does not exist, so that its answer takes as long as any. */
  private readonly nobodysSecret: Promise<SecretHash> = hashSecret('nobody');
  private readonly hashed;

  constructor(
    @Inject(ACCOUNT_STORE) private readonly accounts: AccountStore,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.hashed = metrics.counter({
      name: 'token_secret_hashes_total',
      help: 'Memory-hard hashes that were computed to check a secret',
    });
  }

  /** @throws OAuthError `invalid_client`, or `temporarily_unavailable` (429 for guessing, 503 for too much work) */
  async verify(clientId: string, clientSecret: string, address: string): Promise<Account> {
    this.refuseWhilePaused(clientId, address);
    const known = await this.recognise(clientId, clientSecret);
    if (known !== undefined) return this.admit(known, address);
    try {
      return await this.slots.run(() => this.check(clientId, clientSecret, address));
    } catch (error) {
      if (!(error instanceof NoSlotError)) throw error;
      throw new OAuthError('temporarily_unavailable', 'too many requests at once', { retryAfterMs: 1_000 });
    }
  }

  /** The account, when this very secret was found right before: no place in line is needed. */
  private async recognise(clientId: string, clientSecret: string): Promise<Account | undefined> {
    const account = await this.accounts.find(clientId);
    const isKnown = account?.secrets.some(({ hash }) => this.verified.has(clientSecret, hash)) ?? false;
    return isKnown ? account : undefined;
  }

  private async check(clientId: string, clientSecret: string, address: string): Promise<Account> {
    // Looked at once more: guesses sent in parallel may have failed while this one was in line.
    this.refuseWhilePaused(clientId, address);
    const account = await this.accounts.find(clientId);
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

  private refuseWhilePaused(clientId: string, address: string): void {
    const retryAfterMs = this.guesses.pauseFor(clientId, address, Date.now());
    if (retryAfterMs === 0) return;
    throw new OAuthError('temporarily_unavailable', 'too many failures', { status: 429, retryAfterMs });
  }
}
