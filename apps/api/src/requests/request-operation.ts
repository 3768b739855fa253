import {
  applyDecorators,
  HttpCode,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ApiHeader, ApiQuery, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { tap, type Observable } from 'rxjs';
import { ForOperators } from '../access/access.guard.js';
import { Problems } from '../http/problems.js';
import { RequestRow } from './request-dto.js';
import { MAX_WAIT_SECONDS } from './wait.js';

/** Documents that an operation may wait for the end of a request. */
export function MayWait(): MethodDecorator {
  return applyDecorators(
    ApiQuery({
      name: 'wait',
      required: false,
      description: 'Seconds to wait for the end of the request.',
      schema: { type: 'integer', minimum: 0, maximum: MAX_WAIT_SECONDS, default: 0 },
    }),
    ApiHeader({
      name: 'Prefer',
      required: false,
      description: '`wait=10`: as the query parameter (RFC 7240).',
      schema: { type: 'string' },
    }),
  );
}

/** An operation that adds a request: the handler returns it. Only for operators. */
export function RequestOperation(): MethodDecorator {
  const headers = {
    Location: { description: 'Address of the request.', schema: { type: 'string' as const } },
  };
  return applyDecorators(
    ForOperators(),
    MayWait(),
    Problems(400, 401, 403, 409, 413, 415, 429, 502, 503),
    HttpCode(202),
    ApiResponse({ status: 200, description: 'The request is done.', type: RequestRow, headers }),
    ApiResponse({ status: 202, description: 'The request is stored.', type: RequestRow, headers }),
    UseInterceptors(new RequestInterceptor()),
  );
}

/** 200 for a request that is done, and 202 for one that is open. */
class RequestInterceptor implements NestInterceptor<RequestRow, RequestRow> {
  intercept(context: ExecutionContext, next: CallHandler<RequestRow>): Observable<RequestRow> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      tap(({ id, state }) => {
        void reply.header('location', `/v1/requests/${id}`);
        if (state === 'done') void reply.status(200);
      }),
    );
  }
}
