import type { IncomingMessage } from 'node:http';
import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { BULK_PATH, RECORD_KINDS, type RecordKind } from '@ssb/market';
import { ProblemException } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Door } from './door.js';
import { ListRecordsDto } from './list-records.dto.js';
import { Shelf } from './shelf.js';

/** The operator's door: how records get in, and what is in. Ours alone; document 000 knows only how participants read them. */
@Controller()
export class OperatorController {
  constructor(
    private readonly door: Door,
    private readonly shelf: Shelf,
  ) {}

  @Post('operator/v1/:kind')
  async load(
    @Param('kind') kind: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { loaded } = await this.door.takeOne(known(kind), request.body);
    await reply.status(loaded > 0 ? 201 : 200).send({ loaded: loaded > 0 });
  }

  @Post(BULK_PATH)
  async loadAll(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { loaded, alreadyThere } = await this.door.takeLines(linesOf(request));
    await reply.status(loaded > 0 ? 201 : 200).send({ loaded, alreadyThere });
  }

  @Get('operator/v1/:kind')
  async list(
    @Param('kind') kind: string,
    @Query() query: ListRecordsDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    json(reply, await this.shelf.list(known(kind), query));
  }

  @Get('operator/v1/:kind/:sequence')
  async one(
    @Param('kind') kind: string,
    @Param('sequence') sequence: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    json(reply, await this.shelf.one(known(kind), sequence));
  }
}

function known(kind: string): RecordKind {
  const found = RECORD_KINDS.find((name) => name === kind);
  if (found !== undefined) return found;
  throw new ProblemException(404, 'Not found', `Kinds of records are ${RECORD_KINDS.join(', ')}.`, {
    allowed: RECORD_KINDS,
  });
}

/** Admission lets nothing but JSON lines through to their address, and they come unread (bodies.ts). */
function linesOf({ body }: FastifyRequest): AsyncIterable<Buffer> {
  return body as IncomingMessage;
}

function json(reply: FastifyReply, text: string): void {
  void reply.header('content-type', 'application/json').send(text);
}
