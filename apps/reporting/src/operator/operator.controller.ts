import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import { InvoiceLoad, OPERATOR_PATHS, PrudentialLoad, StatementLoad, TimelineLoad } from '@ssb/market';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Records } from '../records/records.js';
import { Door } from './door.js';

/** The operator's door: how records get in. Ours alone; document 000 knows only how they are read. */
@Controller()
export class OperatorController {
  constructor(
    @Inject(Door) private readonly door: Door,
    @Inject(Records) private readonly records: Records,
  ) {}

  @Post(OPERATOR_PATHS.prudential)
  prudential(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const load = (record: PrudentialLoad) => this.records.prudential.load(record);
    return this.door.take({ request, reply, resource: PrudentialLoad, load });
  }

  @Post(OPERATOR_PATHS.statements)
  statement(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const load = (record: StatementLoad) => this.records.settlement.loadStatement(record);
    return this.door.take({ request, reply, resource: StatementLoad, load });
  }

  @Post(OPERATOR_PATHS.invoices)
  invoice(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const load = (record: InvoiceLoad) => this.records.settlement.loadInvoice(record);
    return this.door.take({ request, reply, resource: InvoiceLoad, load });
  }

  @Post(OPERATOR_PATHS.timelines)
  timeline(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const load = (record: TimelineLoad) => this.records.timeline.load(record);
    return this.door.take({ request, reply, resource: TimelineLoad, load });
  }
}
