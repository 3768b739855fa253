import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Controller, Get, Header, Headers, Res, type OnModuleInit } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import Negotiator from 'negotiator';
import { ForEveryone } from '../access/access.guard.js';
import { ApiDocument } from './api-document.js';

/** The default, 11, takes half a second of each start and saves 3 kB. */
const BROTLI_QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Serves the document to everyone. It is compressed once, so that requests without credentials cost little. */
@ApiExcludeController()
@ForEveryone()
@Controller()
export class OpenApiController implements OnModuleInit {
  private bodies: Readonly<Record<string, Buffer>> = {};
  private etag = '';

  constructor(private readonly source: ApiDocument) {}

  async onModuleInit(): Promise<void> {
    const { text } = this.source;
    const [gzipped, brotli] = await Promise.all([
      promisify(gzip)(text),
      promisify(brotliCompress)(text, BROTLI_QUALITY),
    ]);
    this.bodies = { gzip: gzipped, br: brotli, identity: text };
    this.etag = `W/"${createHash('sha256').update(text).digest('base64url')}"`;
  }

  @Get('openapi.json')
  @Header('content-type', 'application/json')
  @Header('vary', 'accept-encoding')
  document(
    @Headers() headers: Readonly<Record<string, string>>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Buffer | undefined {
    const encoding = new Negotiator({ headers }).encoding(Object.keys(this.bodies)) ?? 'identity';
    void reply.header('etag', this.etag);
    if (encoding !== 'identity') void reply.header('content-encoding', encoding);
    return this.bodies[encoding];
  }
}
