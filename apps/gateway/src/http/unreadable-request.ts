import type { Server } from 'node:http';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { refuseUnreadable, type UnreadableRequest, type WrittenBody } from '@ssb/platform';
import { GatewayFailure, invalidRequest } from '../domain/gateway-failure.js';

/** Gives the error object of document 002 to what never reaches a route: what is no HTTP, and what names no host (RFC 9112 §3.2). */
export function answerUnreadable(adapter: FastifyAdapter): void {
  refuseUnreadable(adapter.getHttpServer<Server>(), written);
  adapter.getInstance().addHook('onRequest', (request, _reply, next) => {
    const { headers, httpVersion } = request.raw;
    if (headers.host === undefined && httpVersion === '1.1')
      next(invalidRequest('A Host header is missing.'));
    else next();
  });
}

function written({ status, detail }: UnreadableRequest): WrittenBody {
  const failure = new GatewayFailure(status, 'REQ::INVALID_REQUEST', detail);
  return { type: 'application/json; charset=utf-8', text: JSON.stringify(failure.body()) };
}
