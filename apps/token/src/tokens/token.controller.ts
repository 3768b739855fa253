import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { All, Controller, Header, HttpCode, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TokenService, type TokenResponse } from './token.service.js';
import { methodNotAllowed, TOKEN_PATH } from './error-responses.js';

/** The token endpoint (document 001). */
@Controller()
export class TokenController {
  constructor(private readonly issueToken: TokenService) {}

  @All(TOKEN_PATH)
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @Header('pragma', 'no-cache')
  token(@Req() request: FastifyRequest): Promise<TokenResponse> {
    if (request.method !== 'POST') throw methodNotAllowed();
    const { 'content-type': contentType, authorization } = request.headers;
    const form = typeof request.body === 'string' ? request.body : undefined;
    return this.issueToken.issue(
      { contentType, authorization, form },
      { address: request.ip, certificateThumbprint: clientCertificateThumbprint(request.raw.socket) },
    );
  }
}

/**
 * The `x5t#S256` of the connection's client certificate (RFC 8705 §3.1): SHA-256 of its DER, base64url. Undefined unless there is
 * one that the authorities of CLIENT_CA_FILE vouch for.
 */
function clientCertificateThumbprint(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  return certificate && createHash('sha256').update(certificate.raw).digest('base64url');
}
