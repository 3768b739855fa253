import { Inject, Injectable } from '@nestjs/common';
import type { LoginSuccess } from '@ssb/bus';
import { addressFromDid, verifyIdentityToken, type Did } from '@ssb/identity';
import { SETTINGS } from '@ssb/platform';
import { hasDidMethod } from '../channels/names.js';
import { BusError } from '../errors/bus-error.js';
import type { Settings } from '../settings.js';
import { UsedTokenStore } from '../storage/redis/used-token.store.js';
import { BearerTokens } from './bearer-tokens.js';
import { BrokerIdentity } from './broker-identity.js';
import { verifyOldIdentityToken } from './old-identity-token.js';

export type LoginSettings = Pick<
  Settings,
  'BROKER_AUDIENCE' | 'DANGEROUSLY_ACCEPT_OLD_IDENTITY_TOKENS' | 'DID_METHOD' | 'SIGNATURE_SCHEME'
>;

/** Exchanges a signed identity token for a bearer token. An identity token is valid for one minute and for one login. */
@Injectable()
export class LoginService {
  constructor(
    private readonly tokens: BearerTokens,
    private readonly identity: BrokerIdentity,
    private readonly usedTokens: UsedTokenStore,
    @Inject(SETTINGS) private readonly settings: LoginSettings,
  ) {}

  /** @throws BusError BUS::LOGIN_FAILED with the reason */
  async login(identityToken: string): Promise<LoginSuccess> {
    const did = await this.identify(identityToken);
    if (!hasDidMethod(did, this.settings.DID_METHOD)) throw loginFailed('another-method');
    const token = await this.tokens.issue(did);
    return { token, did, address: addressFromDid(did), signature: this.identity.sign(token) };
  }

  private async identify(identityToken: string): Promise<Did> {
    const audience = this.settings.BROKER_AUDIENCE;
    const verdict = verifyIdentityToken(identityToken, { audience, now: new Date() });
    if (verdict.ok) {
      const { did, jti, expiresAt } = verdict;
      if (await this.usedTokens.markUsed('login', JSON.stringify([did, jti]), expiresAt)) return did;
      throw loginFailed('replayed');
    }
    if (this.settings.DANGEROUSLY_ACCEPT_OLD_IDENTITY_TOKENS) {
      const did = verifyOldIdentityToken(identityToken, this.settings.SIGNATURE_SCHEME);
      if (did) return did;
    }
    throw loginFailed(verdict.reason);
  }
}

function loginFailed(reason: string): BusError {
  return new BusError('BUS::LOGIN_FAILED', 'The identity token is not accepted.', { reason });
}
