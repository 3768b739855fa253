import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger, Metrics, SETTINGS } from '@ssb/platform';
import type { Account } from '../accounts/account.repository.js';
import { OAuthError } from '../domain/oauth-error.js';
import { formatScopes, grantScopes } from '../domain/scopes.js';
import { parseTokenRequest, type RawTokenRequest } from '../domain/token-request.js';
import { getIssuer, type Settings } from '../settings.js';
import { signJwt } from '../signing-keys/signing-key.js';
import { SigningKeyStore } from '../signing-keys/signing-key-store.js';
import { ClientAuthenticator } from './client-authenticator.js';
import { METRICS } from '../metrics.js';

/** The body of the 200 response (document 001). */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
}

/** The client of a request, as its connection identifies it. */
export interface Caller {
  /** IP address of the client, or of a proxy that is not trusted. */
  readonly address: string;
  /** `x5t#S256` of the client certificate, if a trusted one was presented. */
  readonly certificateThumbprint: string | undefined;
}

/** Issues a token: parse the request → authenticate the client → grant scopes → sign. */
@Injectable()
export class TokenService {
  private readonly issued;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
    private readonly clients: ClientAuthenticator,
    private readonly keys: SigningKeyStore,
  ) {
    this.issued = metrics.counter(METRICS.issued);
  }

  /** @throws OAuthError */
  async issue(raw: RawTokenRequest, caller: Caller): Promise<TokenResponse> {
    const request = parseTokenRequest(raw);
    const account = await this.clients.authenticate(request.clientId, request.clientSecret, caller.address);
    const thumbprint = getBoundThumbprint(account, caller);
    const scope = this.grant(account, request.scope);
    const token = await this.sign(account, scope, thumbprint);
    this.issued.inc();
    this.log.info({ step: 'token-issued', clientId: account.clientId, scope }, 'token issued');
    return token;
  }

  private grant(account: Account, requested: string | undefined): string {
    const verdict = grantScopes(account.scopes, requested);
    if (verdict.ok) return formatScopes(verdict.scopes);
    switch (verdict.reason) {
      case 'malformed':
        throw new OAuthError(
          'invalid_scope',
          'a scope is <ENTITY> or <ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>',
        );
      case 'none-held':
        throw new OAuthError('invalid_scope', 'the account holds none of the requested scopes');
    }
  }

  /** Signs a JWT access token (RFC 9068). The client acts for itself, so it is also the subject (§2.2). */
  private async sign(
    { clientId }: Account,
    scope: string,
    thumbprint: string | undefined,
  ): Promise<TokenResponse> {
    const { AUDIENCE: aud, TOKEN_LIFETIME_SECONDS: lifetimeSeconds } = this.settings;
    const iat = Math.floor(Date.now() / 1000);
    const payload = {
      iss: getIssuer(this.settings),
      sub: clientId,
      aud,
      client_id: clientId,
      scope,
      iat,
      exp: iat + lifetimeSeconds,
      jti: randomUUID(),
      ...(thumbprint !== undefined && { cnf: { 'x5t#S256': thumbprint } }),
    };
    const token = signJwt('at+jwt', payload, await this.keys.getSigningKey());
    return { access_token: token, token_type: 'Bearer', expires_in: lifetimeSeconds, scope };
  }
}

/** The certificate that the account's tokens are bound to (RFC 8705 §3); undefined for an account without binding. */
function getBoundThumbprint({ bound }: Account, { certificateThumbprint }: Caller): string | undefined {
  if (!bound) return undefined;
  if (certificateThumbprint !== undefined) return certificateThumbprint;
  throw new OAuthError('invalid_client', 'the account needs a client certificate that this service trusts');
}
