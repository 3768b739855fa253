import { Controller, Get, Param, Query, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { RecordStore } from '../records/record-store.js';
import { AccessGuard, Participant } from './access.guard.js';
import { orNotFound, rejectTooLarge, requirePublished } from './not-found.js';
import { OperationFailureFilter } from './operation-failure.filter.js';
import { OperationResponder } from './operation-responder.js';
import { Operation } from './operation.decorator.js';
import { parseDayWindow, type QueryValues } from './parameters/day-window.js';
import { parseEstimationKey, parseRunKey, type PathOf } from './parameters/settlement-key.js';

/** Document 000, operations 5 to 10. */
@Controller('api/v2/settlements')
@UseGuards(AccessGuard)
@UseFilters(OperationFailureFilter)
export class SettlementController {
  constructor(
    private readonly records: RecordStore,
    private readonly responder: OperationResponder,
  ) {}

  @Get(':marketService/summary/:periodFrom/:designation')
  @Operation({ id: 'settlement-statement', entity: 'SETTLEMENT' })
  async statement(
    @Participant() participant: string,
    @Param() path: PathOf<'periodFrom'>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = orNotFound(parseRunKey(path, 'periodFrom'));
    const statement = await this.records.latest('settlement-statement', participant, key);
    this.responder.sendDocument(reply, requirePublished('settlement statement', statement));
  }

  @Get(':marketService/detail/:tradingDay/:designation')
  @Operation({ id: 'settlement-detail', entity: 'SETTLEMENT' })
  async detail(
    @Participant() participant: string,
    @Param() path: PathOf<'tradingDay'>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = orNotFound(parseRunKey(path, 'tradingDay'));
    const detail = await this.records.latest('settlement-detail', participant, key);
    this.responder.sendDocument(reply, requirePublished('settlement detail', detail));
  }

  @Get(':marketService/estimation/:periodFrom/:designation/:tradingDay')
  @Operation({ id: 'settlement-estimation', entity: 'SETTLEMENT' })
  async estimation(
    @Participant() participant: string,
    @Param() path: PathOf<'periodFrom' | 'tradingDay'>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = orNotFound(parseEstimationKey(path));
    const estimation = await this.records.latest('settlement-estimation', participant, key);
    this.responder.sendDocument(reply, requirePublished('settlement estimation', estimation));
  }

  @Get(':marketService/invoiceFile/:periodFrom/:designation')
  @Operation({ id: 'settlement-invoice-file', entity: 'SETTLEMENT' })
  async invoiceFile(
    @Participant() participant: string,
    @Param() path: PathOf<'periodFrom'>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = orNotFound(parseRunKey(path, 'periodFrom'));
    const file = await this.records.latest('settlement-invoice-file', participant, key);
    // The file name is built from the parsed key, never from unvalidated input.
    const name = `invoice-${key.marketService}-${key.periodFrom}-${key.designation}.pdf`;
    this.responder.sendPdf(reply, name, requirePublished('settlement invoice', file));
  }

  @Get(':marketService/invoice/:periodFrom/:designation')
  @Operation({ id: 'settlement-invoice', entity: 'SETTLEMENT' })
  async invoice(
    @Participant() participant: string,
    @Param() path: PathOf<'periodFrom'>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = orNotFound(parseRunKey(path, 'periodFrom'));
    const invoice = await this.records.latest('settlement-invoice', participant, key);
    this.responder.sendDocument(reply, requirePublished('settlement invoice', invoice));
  }

  @Get('timeline')
  @Operation({ id: 'settlement-timeline', entity: 'SETTLEMENT' })
  async timeline(@Query() query: QueryValues, @Res() reply: FastifyReply): Promise<void> {
    const window = orNotFound(parseDayWindow(query, ['invoiceDateFrom', 'invoiceDateTo']));
    const timeline = await rejectTooLarge(this.records.timeline(window));
    this.responder.sendDocument(reply, timeline);
  }
}
