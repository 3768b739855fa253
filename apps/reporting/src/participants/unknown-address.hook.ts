import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { sendProblem } from '../failures.js';
import { unknownAddress } from './not-found.js';

/** Responds 404 to a request that matches no route, before its body is read. */
@Injectable()
export class UnknownAddressHook implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.addHook('onRequest', (request, reply, done) => {
      if (request.is404) sendProblem(reply, unknownAddress());
      else done();
    });
  }
}
