import { Inject, Injectable } from '@nestjs/common';
import { GuessLimit } from '../domain/guess-limit.js';
import { OAuthError } from '../oauth-error.js';
import { NoSlotError, WorkSlots } from '../work-slots.js';
import { ACCOUNT_STORE, type Account, type AccountStore } from './account-store.js';
import { type SecretHash, hashSecret, isSecret } from './secret-hash.js';

/** Hashing one secret takes some 50 ms of a core and 16 MB: this many at once, and this many in line. */
const CHECKS_AT_ONCE = 2;
const CHECKS_IN_LINE = 200;

/** Tells whether a client is who it says it is, at bounded cost, and slows whoever guesses. */
@Injectable()
export class VerifyClient {
  private readonly guesses = new GuessLimit();
  private readonly slots = new WorkSlots(CHECKS_AT_ONCE, CHECKS_IN_LINE);
  /** Checked for a client that does not exist, so that its answer takes as long as any. */
  private readonly nobodysSecret: Promise<SecretHash> = hashSecret('nobody');

  constructor(@Inject(ACCOUNT_STORE) private readonly accounts: AccountStore) {}

  /** @throws OAuthError `invalid_client`, or `temporarily_unavailable` (429 for guessing, 503 for too much work) */
  async verify(clientId: string, clientSecret: string, address: string): Promise<Account> {
    this.refuseWhilePaused(clientId, address);
    try {
      return await this.slots.run(() => this.check(clientId, clientSecret, address));
    } catch (error) {
      if (!(error instanceof NoSlotError)) throw error;
      throw new OAuthError('temporarily_unavailable', 'too many requests at once', { retryAfterMs: 1_000 });
    }
  }

  private async check(clientId: string, clientSecret: string, address: string): Promise<Account> {
    // Looked at once more: guesses sent in parallel may have failed while this one was in line.
    this.refuseWhilePaused(clientId, address);
    const account = await this.accounts.find(clientId);
    const right = await isSecret(clientSecret, account?.secret ?? (await this.nobodysSecret));
    if (account === undefined || !right) {
      this.guesses.failed(clientId, address, Date.now());
      throw new OAuthError('invalid_client', 'unknown client or wrong secret');
    }
    this.guesses.succeeded(clientId, address);
    return account;
  }

  private refuseWhilePaused(clientId: string, address: string): void {
    const retryAfterMs = this.guesses.pauseFor(clientId, address, Date.now());
    if (retryAfterMs === 0) return;
    throw new OAuthError('temporarily_unavailable', 'too many failures', { status: 429, retryAfterMs });
  }
}
