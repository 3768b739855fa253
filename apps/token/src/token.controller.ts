import { All, Controller, Header, HttpCode, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { IssueToken, type TokenResponse } from './issue-token.js';
import { clientCertificateThumbprint } from './tls/client-certificate.js';
import { methodNotAllowed, TOKEN_PATH } from './token-failures.js';

/** The token endpoint (document 001). */
@Controller()
export class TokenController {
  constructor(private readonly issueToken: IssueToken) {}

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
