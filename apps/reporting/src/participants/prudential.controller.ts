import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Records } from '../records/records.js';
import { Answer } from './answer.js';
import { nothingPublished } from './not-found.js';

/** The prudential operations of document 000. */
@Controller('api/v2/prudential')
export class PrudentialController {
  constructor(
    @Inject(Answer) private readonly answer: Answer,
    @Inject(Records) private readonly records: Records,
  ) {}

  /** Operation 2. */
  @Get('summary/latest')
  latest(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer.to({
      operation: 'prudential-summary',
      entity: 'PRUDENTIAL',
      request,
      reply,
      find: async (participant) => {
        const summary = await this.records.prudential.latestSummary(participant);
        if (summary === undefined) throw nothingPublished('prudential calculation', participant);
        return summary;
      },
    });
  }
}
