import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger, Metrics, SETTINGS } from '@ssb/platform';
import type { Account } from './accounts/account-store.js';
import { VerifyClient } from './accounts/verify-client.js';
import { grantScopes, writeScope } from './domain/scopes.js';
import { type RawTokenRequest, readTokenRequest } from './domain/token-request.js';
import { OAuthError } from './oauth-error.js';
import { type Settings, issuerOf } from './settings.js';
import { signAccessToken } from './signing/access-token.js';
import { SIGNING_KEY, type SigningKey } from './signing/signing-key.js';

/** The 200 body of document 001. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
}

/** The road of one token: read the request → verify the client → grant scopes → sign. */
@Injectable()
export class IssueToken {
  private readonly issued;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(Metrics) metrics: Metrics,
    @Inject(VerifyClient) private readonly client: VerifyClient,
    @Inject(SIGNING_KEY) private readonly key: SigningKey,
  ) {
    this.issued = metrics.counter({ name: 'tokens_issued_total', help: 'Access tokens that were issued' });
  }

  /** @throws OAuthError */
  async issue(raw: RawTokenRequest, address: string): Promise<TokenResponse> {
    const request = readTokenRequest(raw);
    const account = await this.client.verify(request.clientId, request.clientSecret, address);
    const scope = this.grant(account, request.scope);
    const token = await this.sign(account, scope);
    this.issued.inc();
    this.log.info({ step: 'token-issued', clientId: account.clientId, scope }, 'token issued');
    return token;
  }

  private grant(account: Account, requested: string | undefined): string {
    const verdict = grantScopes(account.scopes, requested);
    if (verdict.ok) return verdict.scopes.map(writeScope).join(' ');
    switch (verdict.reason) {
      case 'malformed':
        throw new OAuthError(
          'invalid_scope',
          'a scope is <ENTITY> or <ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>',
        );
      case 'none-held':
        throw new OAuthError('invalid_scope', 'the account holds none of the scopes');
    }
  }

  private async sign({ clientId }: Account, scope: string): Promise<TokenResponse> {
    const lifetimeSeconds = this.settings.TOKEN_LIFETIME_SECONDS;
    const claims = {
      issuer: issuerOf(this.settings),
      audience: this.settings.AUDIENCE,
      clientId,
      scope,
      lifetimeSeconds,
      now: new Date(),
    };
    const token = await signAccessToken(claims, this.key);
    return { access_token: token, token_type: 'Bearer', expires_in: lifetimeSeconds, scope };
  }
}
