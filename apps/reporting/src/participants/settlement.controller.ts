import { Controller, Get, Param, Query, Res, UseFilters, UseGuards } from '@nestjs/common';
import {
  SettlementCycleTimeline,
  SettlementInvoice,
  SettlementOutputDetails,
  SettlementStatementSummary,
} from '@ssb/market';
import type { FastifyReply } from 'fastify';
import { RecordStore } from '../records/record-store.js';
import { AccessGuard, Participant } from './access.guard.js';
import { orNotFound, rejectTooLarge, requirePublished } from './not-found.js';
import { OperationFailureFilter } from './operation-failure.filter.js';
import { OperationResponder } from './operation-responder.js';
import { Operation } from './operation.decorator.js';
import { parseDayWindow, type QueryValues } from './parameters/day-window.js';
import {
  dayInQuery,
  designation,
  marketService,
  nstem,
  participantCode,
  periodFrom,
  tradingDay,
} from './parameters/parameter-descriptions.js';
import {
  parseDetailKey,
  parseEstimationKey,
  parsePeriodKey,
  type DetailKey,
  type EstimationKey,
  type PathOf,
  type PeriodKey,
} from './parameters/settlement-key.js';

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
  @Operation({
    id: 'settlement-statement',
    summary: 'Settlement statement of a period',
    description: 'From the settlement run with the highest id.',
    entity: 'SETTLEMENT',
    parameters: [marketService, periodFrom, designation, participantCode],
    response: { kind: 'document', resource: SettlementStatementSummary, list: false },
  })
  async statement(
    @Participant() participant: string,
    @Param() path: PathOf<PeriodKey>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = orNotFound(parsePeriodKey(path));
    const statement = await this.records.latest('settlement-statement', participant, key);
    this.responder.sendDocument(reply, requirePublished('settlement statement', statement));
  }

  @Get(':marketService/detail/:tradingDay/:designation')
  @Operation({
    id: 'settlement-detail',
    summary: 'Settlement detail of one trading day',
    description: 'From the settlement run with the highest id.',
    entity: 'SETTLEMENT',
    parameters: [marketService, tradingDay, designation, participantCode],
    response: { kind: 'document', resource: SettlementOutputDetails, list: false },
  })
  async detail(
    @Participant() participant: string,
    @Param() path: PathOf<DetailKey>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = orNotFound(parseDetailKey(path));
    const detail = await this.records.latest('settlement-detail', participant, key);
    this.responder.sendDocument(reply, requirePublished('settlement detail', detail));
  }

  @Get(':marketService/estimation/:periodFrom/:designation/:tradingDay')
  @Operation({
    id: 'settlement-estimation',
    summary: 'NSTEM estimation statement of one day',
    description: 'From the settlement run with the highest id.',
    entity: 'SETTLEMENT',
    parameters: [nstem, periodFrom, designation, tradingDay, participantCode],
    response: { kind: 'document', resource: SettlementOutputDetails, list: false },
  })
  async estimation(
    @Participant() participant: string,
    @Param() path: PathOf<EstimationKey>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = orNotFound(parseEstimationKey(path));
    const estimation = await this.records.latest('settlement-estimation', participant, key);
    this.responder.sendDocument(reply, requirePublished('settlement estimation', estimation));
  }

  @Get(':marketService/invoiceFile/:periodFrom/:designation')
  @Operation({
    id: 'settlement-invoice-file',
    summary: 'Settlement invoice of a period as a PDF',
    description: 'The same invoice that the invoice operation returns.',
    entity: 'SETTLEMENT',
    parameters: [marketService, periodFrom, designation, participantCode],
    response: { kind: 'pdf' },
  })
  async invoiceFile(
    @Participant() participant: string,
    @Param() path: PathOf<PeriodKey>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = orNotFound(parsePeriodKey(path));
    const file = await this.records.latest('settlement-invoice-file', participant, key);
    // The file name is built from the parsed key, never from unvalidated input.
    const name = `invoice-${key.marketService}-${key.periodFrom}-${key.designation}.pdf`;
    this.responder.sendPdf(reply, name, requirePublished('settlement invoice', file));
  }

  @Get(':marketService/invoice/:periodFrom/:designation')
  @Operation({
    id: 'settlement-invoice',
    summary: 'Settlement invoice of a period',
    description: 'The most recently issued invoice.',
    entity: 'SETTLEMENT',
    parameters: [marketService, periodFrom, designation, participantCode],
    response: { kind: 'document', resource: SettlementInvoice, list: false },
  })
  async invoice(
    @Participant() participant: string,
    @Param() path: PathOf<PeriodKey>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = orNotFound(parsePeriodKey(path));
    const invoice = await this.records.latest('settlement-invoice', participant, key);
    this.responder.sendDocument(reply, requirePublished('settlement invoice', invoice));
  }

  @Get('timeline')
  @Operation({
    id: 'settlement-timeline',
    summary: 'Settlement cycle timeline',
    description:
      'The settlement cycles with a run that is invoiced within the window; an empty list when there is none.',
    entity: 'SETTLEMENT',
    parameters: [
      dayInQuery('invoiceDateFrom', 'First invoice day', '2026-03-01'),
      dayInQuery('invoiceDateTo', 'Last invoice day', '2026-03-31'),
    ],
    response: { kind: 'document', resource: SettlementCycleTimeline, list: false },
  })
  async timeline(@Query() query: QueryValues, @Res() reply: FastifyReply): Promise<void> {
    const window = orNotFound(parseDayWindow(query, ['invoiceDateFrom', 'invoiceDateTo']));
    const timeline = await rejectTooLarge(this.records.timeline(window));
    this.responder.sendDocument(reply, timeline);
  }
}
