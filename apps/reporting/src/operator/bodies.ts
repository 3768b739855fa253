import type { IncomingMessage } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { JSON_BODY, JSON_LINES } from './domain/body-form.js';
import { readText } from './read-text.js';

/**
 * Hands the body of one record over as the text it came as: read by the framework, the digits beyond a double would be gone. JSON lines are
 * handed over unread, so that the door can first say whether it has room for them.
 */
@Injectable()
export class Bodies implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(
      [...JSON_BODY.mediaTypes],
      (_request: FastifyRequest, payload: IncomingMessage) => readText(payload, JSON_BODY.largestBytes),
    );
    server.addContentTypeParser(
      [...JSON_LINES.mediaTypes],
      (_request: FastifyRequest, payload: IncomingMessage) => Promise.resolve(payload),
    );
  }
}
