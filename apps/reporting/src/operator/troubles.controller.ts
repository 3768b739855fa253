import { Body, Controller, Delete, Get, Inject, Param, Post, Res } from '@nestjs/common';
import {
  ActiveTrouble,
  ActiveTroubles,
  TROUBLES_PATH,
  TroublesCleared,
  Trouble,
  type Resource,
} from '@ssb/market';
import { LOGGER, ProblemException, type Logger } from '@ssb/platform';
import type { FastifyReply } from 'fastify';
import { TroubleBoard } from '../trouble/trouble-board.js';
import { readResource } from './request-bodies.js';

/** Switches for trouble: set one, see them, switch one or all off. */
@Controller()
export class TroublesController {
  constructor(
    private readonly board: TroubleBoard,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @Post(TROUBLES_PATH)
  set(@Body() body: unknown, @Res() reply: FastifyReply): void {
    const trouble = readResource(Trouble, body);
    const active = this.board.set(trouble);
    this.log.warn({ trouble, id: active.id }, 'trouble switched on');
    answer(reply, 201, ActiveTrouble, active);
  }

  @Get(TROUBLES_PATH)
  list(@Res() reply: FastifyReply): void {
    answer(reply, 200, ActiveTroubles, { troubles: this.board.list() });
  }

  @Delete(TROUBLES_PATH)
  clearAll(@Res() reply: FastifyReply): void {
    const cleared = this.board.clearAll();
    this.log.warn({ cleared }, 'all trouble switched off');
    answer(reply, 200, TroublesCleared, { cleared });
  }

  /** One that has ended by itself, or never was, is off already: 200 all the same. */
  @Delete(`${TROUBLES_PATH}/:id`)
  clear(@Param('id') id: string, @Res() reply: FastifyReply): void {
    if (!/^[1-9]\d{0,9}$/.test(id))
      throw new ProblemException(404, 'Not found', 'The id of a trouble is the number that it was set with.');
    const cleared = this.board.clear(Number(id)) ? 1 : 0;
    this.log.warn({ id: Number(id), cleared }, 'trouble switched off');
    answer(reply, 200, TroublesCleared, { cleared });
  }
}

function answer<T>(reply: FastifyReply, status: number, resource: Resource<T>, value: T): void {
  void reply.status(status).header('content-type', 'application/json').send(resource.serialise(value));
}
