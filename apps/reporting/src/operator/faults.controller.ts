import { Body, Controller, Delete, Get, Inject, Param, Post, Res } from '@nestjs/common';
import {
  ActiveTrouble,
  ActiveTroubles,
  TROUBLES_PATH,
  TroublesCleared,
  type Resource,
  type Trouble,
} from '@ssb/market';
import { LOGGER, ProblemException, type Logger } from '@ssb/platform';
import type { FastifyReply } from 'fastify';
import { ActiveFaults } from '../faults/active-faults.js';
import { FaultPipe } from './fault.pipe.js';

/** Injected faults: set one, list them, clear one or all. */
@Controller()
export class FaultsController {
  constructor(
    private readonly faults: ActiveFaults,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @Post(TROUBLES_PATH)
  set(@Body(FaultPipe) trouble: Trouble, @Res() reply: FastifyReply): void {
    const active = this.faults.set(trouble);
    this.log.warn({ trouble, id: active.id }, 'fault injected');
    answer(reply, 201, ActiveTrouble, active);
  }

  @Get(TROUBLES_PATH)
  list(@Res() reply: FastifyReply): void {
    answer(reply, 200, ActiveTroubles, { troubles: this.faults.list() });
  }

  @Delete(TROUBLES_PATH)
  clearAll(@Res() reply: FastifyReply): void {
    const cleared = this.faults.clearAll();
    this.log.warn({ cleared }, 'all faults cleared');
    answer(reply, 200, TroublesCleared, { cleared });
  }

  /** A fault that has ended, or never was, counts as cleared: 200. */
  @Delete(`${TROUBLES_PATH}/:id`)
  clear(@Param('id') id: string, @Res() reply: FastifyReply): void {
    if (!/^[1-9]\d{0,9}$/.test(id))
      throw new ProblemException(404, 'Not found', 'The id of a fault is the number that it was set with.');
    const cleared = this.faults.clear(Number(id)) ? 1 : 0;
    this.log.warn({ id: Number(id), cleared }, 'fault cleared');
    answer(reply, 200, TroublesCleared, { cleared });
  }
}

function answer<T>(reply: FastifyReply, status: number, resource: Resource<T>, value: T): void {
  void reply.status(status).header('content-type', 'application/json').send(resource.serialise(value));
}
