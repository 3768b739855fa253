import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Answer } from './answer.js';
import { noSuchAddress } from '../failures.js';
import { operations } from './operations.js';

/**
 * Puts the ten operations on the server, straight from their table: every request takes the same road, so a controller for each
 * would only stand in between.
 */
@Injectable()
export class Routes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly answer: Answer,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    // Before a body is read: nobody's body is of interest at an address that is not there.
    server.addHook('onRequest', (request, reply, done) => {
      if (request.is404) answerNoSuchAddress(reply);
      else done();
    });
    for (const operation of operations) {
      server.get(operation.path.replace(/\{(\w+)\}/g, ':$1'), (request, reply) => {
        // A handler that promises its reply has Fastify put listeners on each reply's end: several microseconds of every request.
        this.answer.to(operation, request, reply).catch((error: unknown) => reply.send(error));
      });
    }
  }
}

function answerNoSuchAddress(reply: FastifyReply): void {
  const problem = noSuchAddress();
  void reply
    .status(problem.status)
    .header('content-type', 'application/problem+json')
    .send(JSON.stringify(problem.body()));
}
