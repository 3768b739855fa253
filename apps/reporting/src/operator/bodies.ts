import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ProblemException } from '@ssb/platform';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bodyTooLarge } from './admission.js';
import { BODY_FORMS } from './domain/body-form.js';

/** Hands bodies over as the text they came as: read by the framework, the digits beyond a double would be gone. */
@Injectable()
export class Bodies implements OnModuleInit {
  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.removeAllContentTypeParsers();
    for (const { mediaTypes, largestBytes } of BODY_FORMS) {
      server.addContentTypeParser([...mediaTypes], (_request: FastifyRequest, payload: IncomingMessage) =>
        readText(payload, largestBytes),
      );
    }
  }
}

/** @throws ProblemException 413 beyond the bound, 400 for what is no UTF-8 */
async function readText(payload: AsyncIterable<Buffer>, largestBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of payload) {
    size += chunk.length;
    if (size > largestBytes) throw bodyTooLarge(largestBytes);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new ProblemException(400, 'Bad request', 'The body must be UTF-8.');
  return bytes.toString('utf8');
}
