import { Inject, Injectable } from '@nestjs/common';
import { loginSuccess } from '@ssb/bus';
import { createIdentityToken } from '@ssb/identity';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { BrokerError } from './broker-error.js';
import type { SigningIdentity } from '../identity/identity.service.js';
import type { Settings } from '../settings.js';
import { BrokerHttp, errorOf, read } from './broker-http.js';

/** The login at the broker: one at a time, whoever asks meanwhile shares its outcome. */
@Injectable()
export class BrokerSession {
  private session: { readonly identity: SigningIdentity; readonly login: Promise<string> } | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly http: BrokerHttp,
  ) {}

  /**
   * The bearer token of an identity, logging in when there is none.
   * @throws BrokerError of kind `login-refused` or `unreachable`; the next call tries again
   */
  token(identity: SigningIdentity): Promise<string> {
    if (this.session?.identity.did === identity.did) return this.session.login;
    const login = this.login(identity);
    const session = { identity, login };
    this.session = session;
    login.catch(() => {
      if (this.session === session) this.session = undefined;
    });
    return login;
  }

  /** The broker no longer takes this token. A newer one is left alone. */
  async forget(token: string): Promise<void> {
    const { session } = this;
    if (session === undefined) return;
    const current = await session.login.catch(() => undefined);
    if (current === token && this.session === session) this.session = undefined;
  }

  /** The identity changed: a session of any other is over. */
  closeOthers(identity: SigningIdentity): void {
    if (this.session?.identity.did !== identity.did) this.session = undefined;
  }

  private async login(identity: SigningIdentity): Promise<string> {
    const identityToken = createIdentityToken({
      key: identity.key,
      form: identity.form,
      audience: this.settings.BROKER_AUDIENCE,
      now: new Date(),
    });
    const answer = await this.http.exchange({ method: 'POST', path: '/auth/login', body: { identityToken } });
    // Too many logins at the moment is no refusal of this one.
    if (answer.status >= 500 || answer.status === 429) {
      throw new BrokerError({ kind: 'unreachable', reason: `the login was answered with ${answer.status}` });
    }
    if (answer.status !== 200 && answer.status !== 201) {
      const err = errorOf(answer);
      this.log.warn(
        { did: identity.did, status: answer.status, reason: err?.reason },
        'broker refused the login',
      );
      throw new BrokerError({ kind: 'login-refused', status: answer.status, err });
    }
    this.log.info({ did: identity.did }, 'logged in at the broker');
    return read(answer, loginSuccess).token;
  }
}
