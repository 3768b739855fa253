import { Body, Controller, Delete, Get, Inject, Param, Post, Res } from '@nestjs/common';
import type { Resource } from '@ssb/market';
import { ActiveFault, ActiveFaultList, type Fault, FAULTS_PATH, FaultsCleared } from '@ssb/market-admin';
import { type Logger, LOGGER, ProblemException } from '@ssb/platform';
import type { FastifyReply } from 'fastify';
import { ActiveFaults } from './active-faults.js';
import { FaultPipe } from './fault.pipe.js';

/** Injected faults: set one, list them, clear one or all. */
@Controller()
export class FaultsController {
  constructor(
    private readonly faults: ActiveFaults,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @Post(FAULTS_PATH)
  set(@Body(FaultPipe) fault: Fault, @Res() reply: FastifyReply): void {
    const active = this.faults.set(fault);
    this.log.warn({ fault, id: active.id }, 'fault injected');
    answer(reply, 201, ActiveFault, active);
  }

  @Get(FAULTS_PATH)
  list(@Res() reply: FastifyReply): void {
    answer(reply, 200, ActiveFaultList, { faults: this.faults.list() });
  }

  @Delete(FAULTS_PATH)
  clearAll(@Res() reply: FastifyReply): void {
    const cleared = this.faults.clearAll();
    this.log.warn({ cleared }, 'all faults cleared');
    answer(reply, 200, FaultsCleared, { cleared });
  }

  /** A fault that has ended, or never was, counts as cleared: 200. */
  @Delete(`${FAULTS_PATH}/:id`)
  clear(@Param('id') id: string, @Res() reply: FastifyReply): void {
    if (!/^[1-9]\d{0,9}$/.test(id))
      throw new ProblemException(404, 'Not found', 'The id of a fault is the number that it was set with.');
    const cleared = this.faults.clear(Number(id)) ? 1 : 0;
    this.log.warn({ id: Number(id), cleared }, 'fault cleared');
    answer(reply, 200, FaultsCleared, { cleared });
  }
}

function answer<T>(reply: FastifyReply, status: number, resource: Resource<T>, value: T): void {
  void reply.status(status).header('content-type', 'application/json').send(resource.serialise(value));
}
