import { Controller, Get, Header, Inject } from '@nestjs/common';
import { SETTINGS } from '@ssb/platform';
import type { JWK } from 'jose';
import { type Settings, issuerOf } from './settings.js';
import { SIGNING_KEY, type SigningKey } from './signing/signing-key.js';

/** What a resource server and a client can find out by themselves. */
@Controller('.well-known')
export class WellKnownController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(SIGNING_KEY) private readonly key: SigningKey,
  ) {}

  /** The keys that tokens are signed with (RFC 7517). */
  @Get('jwks.json')
  @Header('cache-control', 'public, max-age=300')
  jwks(): { keys: JWK[] } {
    return { keys: [this.key.publicJwk] };
  }

  /** Authorization server metadata (RFC 8414). */
  @Get('oauth-authorization-server')
  metadata(): Record<string, unknown> {
    const issuer = issuerOf(this.settings);
    return {
      issuer,
      token_endpoint: `${issuer}/oauth/v1/token`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    };
  }
}
