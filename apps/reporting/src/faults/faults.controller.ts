import { Body, Controller, Delete, Get, Inject, Param, Post, Res } from '@nestjs/common';
import type { Resource } from '@ssb/market';
import { ActiveFault, ActiveFaultList, Fault, FAULTS_PATH, FaultsCleared } from '@ssb/market/admin';
import { type Logger, LOGGER, ProblemException } from '@ssb/platform';
import type { FastifyReply } from 'fastify';
import { parseResource } from '../operator/request-bodies.js';
import { ActiveFaults } from './active-faults.js';

/** The operator API of fault injection: set a fault, list faults, clear one or all. */
@Controller()
export class FaultsController {
  constructor(
    private readonly faults: ActiveFaults,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @Post(FAULTS_PATH)
  set(@Body() body: unknown, @Res() reply: FastifyReply): void {
    const fault = parseResource(Fault, body);
    const active = this.faults.set(fault);
    this.log.warn({ fault, id: active.id }, 'fault injected');
    send(reply, 201, ActiveFault, active);
  }

  @Get(FAULTS_PATH)
  list(@Res() reply: FastifyReply): void {
    send(reply, 200, ActiveFaultList, { faults: this.faults.list() });
  }

  @Delete(FAULTS_PATH)
  clearAll(@Res() reply: FastifyReply): void {
    const cleared = this.faults.clearAll();
    this.log.warn({ cleared }, 'all faults cleared');
    send(reply, 200, FaultsCleared, { cleared });
  }

  /** Responds with 200 for a fault that has ended or never existed, too. */
  @Delete(`${FAULTS_PATH}/:id`)
  clear(@Param('id') id: string, @Res() reply: FastifyReply): void {
    if (!/^[1-9]\d{0,9}$/.test(id))
      throw new ProblemException(
        404,
        'Not found',
        'The id of a fault is the number in the response that set it.',
      );
    const cleared = this.faults.clear(Number(id)) ? 1 : 0;
    this.log.warn({ id: Number(id), cleared }, 'fault cleared');
    send(reply, 200, FaultsCleared, { cleared });
  }
}

function send<T>(reply: FastifyReply, status: number, resource: Resource<T>, value: T): void {
  void reply.status(status).header('content-type', 'application/json').send(resource.serialise(value));
}
