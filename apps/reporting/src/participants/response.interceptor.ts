import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ProblemException } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tap, type Observable } from 'rxjs';
import { chooseMediaType } from './media-type.js';
import { OperationMetrics } from './operation-metrics.js';
import { Operation, type OperationResponse } from './operation.decorator.js';

/** Sets the headers of a 200 and counts the outcome. The body is sent as stored. */
@Injectable()
export class ResponseInterceptor implements NestInterceptor<Uint8Array, Uint8Array> {
  constructor(
    private readonly reflector: Reflector,
    private readonly metrics: OperationMetrics,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<Uint8Array>): Observable<Uint8Array> {
    const { id, response } = this.reflector.get(Operation, context.getHandler());
    const http = context.switchToHttp();
    return next.handle().pipe(
      tap({
        next: () => {
          this.metrics.count(id, 'found');
          setHeaders(response, http.getRequest(), http.getResponse());
        },
        error: (error: unknown) =>
          this.metrics.count(id, error instanceof ProblemException ? 'not-found' : 'failed'),
      }),
    );
  }
}

function setHeaders({ kind }: OperationResponse, request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('cache-control', 'no-store');
  switch (kind) {
    case 'document':
      void reply
        .header('content-type', `${chooseMediaType(request.headers.accept)}; charset=utf-8`)
        .header('vary', 'accept');
      return;
    case 'pdf':
      void reply.header('content-type', 'application/pdf');
      return;
    default:
      kind satisfies never;
  }
}
