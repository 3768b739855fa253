import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { Metrics } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLasting } from '../access/access.guard.js';
import { METHODS, METRICS } from '../metrics.js';

/** Counts and times the requests of the API, by the template of their address. */
@Injectable()
export class RequestMetrics implements OnModuleInit {
  private readonly requests;
  private readonly seconds;

  constructor(
    private readonly host: HttpAdapterHost<FastifyAdapter>,
    metrics: Metrics,
  ) {
    this.requests = metrics.counter(METRICS.requests);
    this.seconds = metrics.histogram(METRICS.requestSeconds);
  }

  onModuleInit(): void {
    this.host.httpAdapter.getInstance().addHook('onResponse', (request, reply, done) => {
      this.record(request, reply);
      done();
    });
  }

  private record(request: FastifyRequest, reply: FastifyReply): void {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    const method = METHODS.find((each) => each === request.method) ?? 'other';
    this.requests.inc({ route, method, status: `${Math.floor(reply.statusCode / 100)}xx` });
    // The reader decides how long a stream lasts.
    if (!isLasting(request)) this.seconds.observe({ route, method }, reply.elapsedTime / 1_000);
  }
}
