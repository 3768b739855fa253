import { Inject, Injectable } from '@nestjs/common';
import { loginSuccess } from '@ssb/bus';
import { createIdentityToken } from '@ssb/identity';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import type { SigningIdentity } from '../identity/identity.service.js';
import type { Settings } from '../settings.js';
import { BrokerError, brokerUnreachable } from './broker-error.js';
import { BrokerHttp, getErrorDetail, parseResponse } from './broker-http.js';

/** The login at the broker. Concurrent callers share one login. */
@Injectable()
export class BrokerSession {
  private session: { readonly identity: SigningIdentity; readonly login: Promise<string> } | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly http: BrokerHttp,
  ) {}

  /**
   * The bearer token of an identity; logs in when there is none.
   * @throws BrokerError of kind `login-refused`, `unreachable`, `not-sent` or `invalid-response`; the next call tries again
   */
  getToken(identity: SigningIdentity): Promise<string> {
    if (this.session?.identity.did === identity.did) return this.session.login;
    const login = this.login(identity);
    const session = { identity, login };
    this.session = session;
    login.catch(() => {
      if (this.session === session) this.session = undefined;
    });
    return login;
  }

  /** Ends the session if this is its token, because the broker refused the token. */
  async invalidate(token: string): Promise<void> {
    const { session } = this;
    if (session === undefined) return;
    const current = await session.login.catch(() => undefined);
    if (current === token && this.session === session) this.session = undefined;
  }

  /** Ends the session of any other identity. */
  endOthers(identity: SigningIdentity): void {
    if (this.session?.identity.did !== identity.did) this.session = undefined;
  }

  private async login(identity: SigningIdentity): Promise<string> {
    const identityToken = createIdentityToken({
      key: identity.key,
      form: identity.form,
      audience: this.settings.BROKER_AUDIENCE,
      now: new Date(),
    });
    const response = await this.http.request({
      method: 'POST',
      path: '/auth/login',
      body: { identityToken },
    });
    const { status } = response;
    // 429 limits the rate of logins, and does not refuse the identity.
    if (status >= 500 || status === 429) {
      throw brokerUnreachable(`the response to the login has status ${status}`);
    }
    if (status !== 200 && status !== 201) {
      const err = getErrorDetail(response);
      this.log.warn({ did: identity.did, status, reason: err?.reason }, 'broker login refused');
      throw new BrokerError({ kind: 'login-refused', status, err });
    }
    this.log.info({ did: identity.did }, 'broker login succeeded');
    return parseResponse(response, loginSuccess).token;
  }
}
