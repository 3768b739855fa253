import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { All, Controller, Header, HttpCode, Inject, Req } from '@nestjs/common';
import { ClientAddressReader, SETTINGS } from '@ssb/platform';
import type { FastifyRequest } from 'fastify';
import { methodNotAllowed } from '../domain/oauth-error.js';
import type { Settings } from '../settings.js';
import { type TokenResponse, TokenService } from './token.service.js';

/** Path of the token endpoint (document 001). */
export const TOKEN_PATH = '/oauth/v1/token';

/** The token endpoint (document 001). */
@Controller()
export class TokenController {
  private readonly addresses: ClientAddressReader;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    private readonly tokens: TokenService,
  ) {
    this.addresses = new ClientAddressReader(settings.TRUSTED_PROXIES);
  }

  /** Handles every method, so that another one than POST gets an OAuth error too. */
  @All(TOKEN_PATH)
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @Header('pragma', 'no-cache')
  issueToken(@Req() request: FastifyRequest): Promise<TokenResponse> {
    if (request.method !== 'POST') throw methodNotAllowed();
    const { 'content-type': contentType, authorization } = request.headers;
    const form = typeof request.body === 'string' ? request.body : undefined;
    return this.tokens.issue(
      { contentType, authorization, form },
      {
        address: this.addresses.read(request.raw),
        certificateThumbprint: getCertificateThumbprint(request.raw.socket),
      },
    );
  }
}

/** The `x5t#S256` of a client certificate that CLIENT_CA_FILE verifies (RFC 8705 §3.1): SHA-256 of its DER, base64url. */
function getCertificateThumbprint(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  return certificate && createHash('sha256').update(certificate.raw).digest('base64url');
}
