import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { Metrics } from '@ssb/platform';
import type { FastifyReply } from 'fastify';
import { OAuthError } from './oauth-error.js';

/** Answers a refused token request as RFC 6749 §5.2 has it. */
@Catch(OAuthError)
export class OAuthErrorFilter implements ExceptionFilter<OAuthError> {
  private readonly refused;

  constructor(@Inject(Metrics) metrics: Metrics) {
    this.refused = metrics.counter({
      name: 'token_requests_refused_total',
      help: 'Token requests that were refused, by error code',
      labelNames: ['error'],
    });
  }

  catch(error: OAuthError, host: ArgumentsHost): void {
    this.refused.inc({ error: error.code });
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    // RFC 9110 §15.5.2: a 401 always says how to authenticate.
    if (error.status === 401) void reply.header('www-authenticate', 'Basic realm="token", charset="UTF-8"');
    if (error.retryAfterMs !== undefined)
      void reply.header('retry-after', Math.ceil(error.retryAfterMs / 1000));
    void reply
      .status(error.status)
      .header('cache-control', 'no-store')
      .header('pragma', 'no-cache')
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify({ error: error.code, error_description: error.description }));
  }
}
