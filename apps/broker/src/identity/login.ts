import type { LoginSuccess } from '@ssb/bus';
import { addressFromDid, verifyIdentityToken } from '@ssb/identity';
import { BusError } from '../bus-error.js';
import type { UsedOnce } from '../redis/used-once.js';
import type { BearerTokens } from './bearer-tokens.js';
import type { BrokerIdentity } from './broker-identity.js';

/** Login: a signed identity token, good for one minute and one use, is exchanged for a bearer token. */
export class Login {
  constructor(
    private readonly audience: string,
    private readonly tokens: BearerTokens,
    private readonly identity: BrokerIdentity,
    private readonly usedOnce: UsedOnce,
    private readonly now: () => Date,
  ) {}

  /** @throws BusError BUS::LOGIN_FAILED with the reason */
  async login(identityToken: string): Promise<LoginSuccess> {
    const verdict = verifyIdentityToken(identityToken, { audience: this.audience, now: this.now() });
    if (!verdict.ok) throw failed(verdict.reason);
    const { did, jti, expiresAt } = verdict;
    if (!(await this.usedOnce.take('login', JSON.stringify([did, jti]), expiresAt))) throw failed('replayed');
    const token = await this.tokens.issue(did);
    return { token, did, address: addressFromDid(did), signature: this.identity.sign(token) };
  }
}

function failed(reason: string): BusError {
  return new BusError('BUS::LOGIN_FAILED', 'The identity token is not accepted.', { reason });
}
