import { Controller, Header, HttpCode, Inject, Post, Req, UseFilters } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { IssueToken, type TokenResponse } from './issue-token.js';
import { OAuthErrorFilter } from './oauth-error.filter.js';

/** The token endpoint (document 001). */
@Controller()
@UseFilters(OAuthErrorFilter)
export class TokenController {
  constructor(@Inject(IssueToken) private readonly issueToken: IssueToken) {}

  @Post('oauth/v1/token')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @Header('pragma', 'no-cache')
  token(@Req() request: FastifyRequest): Promise<TokenResponse> {
    const { 'content-type': contentType, authorization } = request.headers;
    return this.issueToken.issue({ contentType, authorization, form: request.body }, request.ip);
  }
}
