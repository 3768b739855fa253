import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { describeFailure, LOGGER, type Logger } from '@ssb/platform';
import { asBusError, BusError, type BusErrorCode } from '../bus-error.js';

const CODE_OF_STATUS: Readonly<Record<number, BusErrorCode>> = {
  404: 'BUS::NOT_FOUND',
  413: 'BUS::TOO_LARGE',
  415: 'BUS::UNSUPPORTED_MEDIA_TYPE',
  429: 'BUS::TOO_MANY_REQUESTS',
};

interface Reply {
  header(name: string, value: string): Reply;
  status(code: number): Reply;
  send(body: unknown): unknown;
}

/** Answers every failure with document 002's `err` object; our own faults are logged, never shown. */
@Catch()
export class BusErrorFilter implements ExceptionFilter {
  constructor(
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(HttpAdapterHost) host: HttpAdapterHost<FastifyAdapter>,
  ) {
    // What Fastify refuses before a controller is reached (a body that is no JSON, or too large) gets the same form.
    host.httpAdapter.getInstance().addHook('onRoute', (route) => {
      route.errorHandler = (error, _request, reply) => this.answer(error, reply);
    });
  }

  catch(error: unknown, host: ArgumentsHost): void {
    this.answer(error, host.switchToHttp().getResponse<Reply>());
  }

  private answer(error: unknown, reply: Reply): void {
    const shown = asBusError(error) ?? this.translate(error);
    if (shown.status === 503) this.log.warn({ err: error }, 'the engine could not serve a request');
    if (shown.code === 'BUS::UNAUTHENTICATED') void reply.header('www-authenticate', 'Bearer');
    if (shown.status === 429 || shown.status === 503) void reply.header('retry-after', '1');
    void reply.status(shown.status).send(shown.body());
  }

  private translate(error: unknown): BusError {
    const { status, title, detail, expected } = describeFailure(error);
    if (!expected) {
      this.log.error({ err: error }, 'request failed');
      return new BusError('BUS::INTERNAL', 'The broker failed; the failure was recorded.');
    }
    return new BusError(CODE_OF_STATUS[status] ?? 'BUS::INVALID_REQUEST', detail ?? title);
  }
}
