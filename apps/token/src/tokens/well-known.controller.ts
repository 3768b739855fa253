import { Controller, Get, Header, Inject, Req } from '@nestjs/common';
import { ProblemException, SETTINGS } from '@ssb/platform';
import type { FastifyRequest } from 'fastify';
import type { JWK } from 'jose';
import { JWKS_MAX_AGE_SECONDS } from '../domain/key-schedule.js';
import { getIssuer, type Settings } from '../settings.js';
import { SigningKeyStore } from '../signing-keys/signing-key-store.js';
import { TOKEN_PATH } from './token.controller.js';

const METADATA = 'oauth-authorization-server';

/** Public keys and metadata for resource servers and clients. */
@Controller('.well-known')
export class WellKnownController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly keys: SigningKeyStore,
  ) {}

  /** The keys that sign tokens now or soon (RFC 7517). */
  @Get('jwks.json')
  @Header('cache-control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`)
  async getKeys(): Promise<{ keys: JWK[] }> {
    return { keys: await this.keys.listPublicKeys() };
  }

  /**
   * Authorization server metadata (RFC 8414 §3.1: the issuer's path follows the well-known one). Without the path it serves proxies that
   * remove it.
   */
  @Get([METADATA, `${METADATA}/*`])
  getMetadata(@Req() { url }: FastifyRequest): Record<string, unknown> {
    const issuer = getIssuer(this.settings);
    const [, path = ''] = /^[^?]*\/oauth-authorization-server([^?]*)/.exec(url) ?? [];
    if (path !== '' && path !== new URL(issuer).pathname)
      throw new ProblemException(404, 'Not found', `The issuer of this service is ${issuer}.`);
    return {
      issuer,
      token_endpoint: `${issuer}${TOKEN_PATH}`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      grant_types_supported: ['client_credentials'],
      // RFC 8414 requires the member (§2) and forbids an empty list (§3.2). `none` is the registered value of no response.
      response_types_supported: ['none'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      // RFC 8705 §3.3.
      tls_client_certificate_bound_access_tokens: this.settings.CLIENT_CA_FILE !== undefined,
    };
  }
}
