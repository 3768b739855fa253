import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { BULK_PATH, RECORD_KINDS, type RecordKind } from '@ssb/market/admin';
import { ProblemException } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { RecordIngestService } from './record-ingest.service.js';
import { ListRecordsDto, RecordQueryService } from './record-query.service.js';

/** The operator API of records: loads, lists and shows them. Document 000 describes only how participants read them. */
@Controller()
export class RecordsController {
  constructor(
    private readonly ingest: RecordIngestService,
    private readonly query: RecordQueryService,
  ) {}

  @Post('operator/v1/:kind')
  async load(
    @Param('kind') kind: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { loaded } = await this.ingest.loadOne(parseKind(kind), request.body);
    await reply.status(loaded > 0 ? 201 : 200).send({ loaded: loaded > 0 });
  }

  @Post(BULK_PATH)
  async loadAll(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { loaded, alreadyThere } = await this.ingest.loadLines(request.body as IncomingMessage);
    await reply.status(loaded > 0 ? 201 : 200).send({ loaded, alreadyThere });
  }

  @Get('operator/v1/:kind')
  async list(
    @Param('kind') kind: string,
    @Query() query: ListRecordsDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.query.list(parseKind(kind), query));
  }

  @Get('operator/v1/:kind/:sequence')
  async find(
    @Param('kind') kind: string,
    @Param('sequence') sequence: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await this.query.find(parseKind(kind), sequence));
  }
}

function parseKind(kind: string): RecordKind {
  const found = RECORD_KINDS.find((name) => name === kind);
  if (found !== undefined) return found;
  throw new ProblemException(404, 'Not found', `Kinds of records are ${RECORD_KINDS.join(', ')}.`, {
    allowed: RECORD_KINDS,
  });
}

function sendJson(reply: FastifyReply, text: string): void {
  void reply.header('content-type', 'application/json').send(text);
}
