import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { askSettlement, askTimeline, type SettlementKey } from '../domain/settlement-question.js';
import { Records } from '../records/records.js';
import { Answer } from './answer.js';
import { notAskable, nothingPublished } from './not-found.js';

interface SettlementPath {
  marketService: string;
  periodFrom: string;
  designation: string;
}

/** The settlement operations of document 000. */
@Controller('api/v2/settlements')
export class SettlementController {
  constructor(
    @Inject(Answer) private readonly answer: Answer,
    @Inject(Records) private readonly records: Records,
  ) {}

  /** Operation 5. */
  @Get(':marketService/summary/:periodFrom/:designation')
  statement(
    @Param() path: SettlementPath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answer.to({
      operation: 'settlement-statement',
      entity: 'SETTLEMENT',
      request,
      reply,
      find: (participant) =>
        found('settlement statement', participant, keyOf(path), (key) =>
          this.records.settlement.latestStatement(participant, key),
        ),
    });
  }

  /** Operation 9. */
  @Get(':marketService/invoice/:periodFrom/:designation')
  invoice(
    @Param() path: SettlementPath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answer.to({
      operation: 'settlement-invoice',
      entity: 'SETTLEMENT',
      request,
      reply,
      find: (participant) =>
        found('settlement invoice', participant, keyOf(path), (key) =>
          this.records.settlement.latestInvoice(participant, key),
        ),
    });
  }

  /** Operation 10; no cycle within the window is an empty list, not a 404. */
  @Get('timeline')
  timeline(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answer.to({
      operation: 'settlement-timeline',
      entity: 'SETTLEMENT',
      request,
      reply,
      find: async () => {
        const { invoiceDateFrom, invoiceDateTo } = request.query as Record<string, unknown>;
        const question = askTimeline(invoiceDateFrom, invoiceDateTo);
        if (!question.ok) throw notAskable(question);
        return this.records.timeline.within(question.window);
      },
    });
  }
}

function keyOf({ marketService, periodFrom, designation }: SettlementPath): SettlementKey {
  const question = askSettlement(marketService, periodFrom, designation);
  if (!question.ok) throw notAskable(question);
  return question.key;
}

async function found(
  what: string,
  participant: string,
  key: SettlementKey,
  look: (key: SettlementKey) => Promise<string | undefined>,
): Promise<string> {
  const document = await look(key);
  if (document === undefined) throw nothingPublished(what, participant, key);
  return document;
}
