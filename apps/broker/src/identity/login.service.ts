import { Inject, Injectable } from '@nestjs/common';
import type { LoginSuccess } from '@ssb/bus';
import { addressFromDid, isIdentityTokenType, verifyIdentityToken, type Did } from '@ssb/identity';
import { SETTINGS } from '@ssb/platform';
import { BusError } from '../errors/bus-error.js';
import { isOfBus } from '../channels/names.js';
import { UsedOnce } from '../storage/redis/used-token.store.js';
import type { Settings } from '../settings.js';
import { BearerTokens } from './bearer-tokens.js';
import { verifyIssued } from './signed-token.js';
import { BrokerIdentity } from './broker-identity.js';

export type LoginSettings = Pick<
  Settings,
  'BROKER_AUDIENCE' | 'DANGEROUSLY_ACCEPT_OLD_IDENTITY_TOKENS' | 'DID_METHOD'
>;

/** Login: a signed identity token, good for one minute and one use, is exchanged for a bearer token. */
@Injectable()
export class Login {
  constructor(
    private readonly tokens: BearerTokens,
    private readonly identity: BrokerIdentity,
    private readonly usedOnce: UsedOnce,
    @Inject(SETTINGS) private readonly settings: LoginSettings,
  ) {}

  /** @throws BusError BUS::LOGIN_FAILED with the reason */
  async login(identityToken: string): Promise<LoginSuccess> {
    const did = await this.identify(identityToken);
    if (!isOfBus(did, this.settings.DID_METHOD)) throw failed('another-method');
    const token = await this.tokens.issue(did);
    return { token, did, address: addressFromDid(did), signature: this.identity.sign(token) };
  }

  private async identify(identityToken: string): Promise<Did> {
    const audience = this.settings.BROKER_AUDIENCE;
    const verdict = verifyIdentityToken(identityToken, { audience, now: new Date() });
    if (verdict.ok) {
      const { did, jti, expiresAt } = verdict;
      if (await this.usedOnce.take('login', JSON.stringify([did, jti]), expiresAt)) return did;
      throw failed('replayed');
    }
    const old = this.settings.DANGEROUSLY_ACCEPT_OLD_IDENTITY_TOKENS && oldForm(identityToken);
    if (!old) throw failed(verdict.reason);
    return old;
  }
}

/** The signer of a token that claims nothing but who it is; one with an expiry is never read in this way. */
function oldForm(identityToken: string): Did | undefined {
  const verdict = verifyIssued(identityToken);
  if (!verdict.ok || !isIdentityTokenType(verdict.header) || 'exp' in verdict.claims) return undefined;
  return verdict.issuer;
}

function failed(reason: string): BusError {
  return new BusError('BUS::LOGIN_FAILED', 'The identity token is not accepted.', { reason });
}
