import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { describeFailure } from './describe-failure.js';

/** Answers every failure with problem+json (RFC 9457); our own faults are logged, never shown. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const { status, title, detail, extensions, expected } = describeFailure(error);
    if (!expected)
      this.log.error(
        { err: error, method: request.method, route: request.routeOptions.url },
        'request failed',
      );
    void reply
      .status(status)
      .header('content-type', 'application/problem+json')
      .send(JSON.stringify({ type: 'about:blank', title, status, detail, ...extensions }));
  }
}
