import { Controller, Get, Param, Query, Res, UseGuards, UseInterceptors } from '@nestjs/common';
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
import { ResponseInterceptor } from './response.interceptor.js';

/** Document 000, operations 5 to 10. */
@Controller('api/v2/settlements')
@UseGuards(AccessGuard)
@UseInterceptors(ResponseInterceptor)
export class SettlementController {
  constructor(private readonly records: RecordStore) {}

  @Get(':marketService/summary/:periodFrom/:designation')
  @Operation({
    id: 'settlement-statement',
    summary: 'Settlement statement of a period',
    description: 'Of the run with the highest id.',
    entity: 'SETTLEMENT',
    parameters: [marketService, periodFrom, designation, participantCode],
    response: { kind: 'document', resource: SettlementStatementSummary, list: false },
  })
  statement(@Participant() participant: string, @Param() path: PathOf<PeriodKey>): Promise<Uint8Array> {
    const key = orNotFound(parsePeriodKey(path));
    const statement = this.records.latest('settlement-statement', participant, key);
    return requirePublished('settlement statement', statement);
  }

  @Get(':marketService/detail/:tradingDay/:designation')
  @Operation({
    id: 'settlement-detail',
    summary: 'Settlement detail of one trading day',
    description: 'Of the run with the highest id.',
    entity: 'SETTLEMENT',
    parameters: [marketService, tradingDay, designation, participantCode],
    response: { kind: 'document', resource: SettlementOutputDetails, list: false },
  })
  detail(@Participant() participant: string, @Param() path: PathOf<DetailKey>): Promise<Uint8Array> {
    const key = orNotFound(parseDetailKey(path));
    return requirePublished('settlement detail', this.records.latest('settlement-detail', participant, key));
  }

  @Get(':marketService/estimation/:periodFrom/:designation/:tradingDay')
  @Operation({
    id: 'settlement-estimation',
    summary: 'NSTEM estimation statement of one day',
    description: 'Of the run with the highest id.',
    entity: 'SETTLEMENT',
    parameters: [nstem, periodFrom, designation, tradingDay, participantCode],
    response: { kind: 'document', resource: SettlementOutputDetails, list: false },
  })
  estimation(@Participant() participant: string, @Param() path: PathOf<EstimationKey>): Promise<Uint8Array> {
    const key = orNotFound(parseEstimationKey(path));
    const estimation = this.records.latest('settlement-estimation', participant, key);
    return requirePublished('settlement estimation', estimation);
  }

  @Get(':marketService/invoiceFile/:periodFrom/:designation')
  @Operation({
    id: 'settlement-invoice-file',
    summary: 'Settlement invoice of a period as a PDF',
    description: 'The same invoice that the invoice operation answers.',
    entity: 'SETTLEMENT',
    parameters: [marketService, periodFrom, designation, participantCode],
    response: { kind: 'pdf' },
  })
  async invoiceFile(
    @Participant() participant: string,
    @Param() path: PathOf<PeriodKey>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Uint8Array> {
    const key = orNotFound(parsePeriodKey(path));
    const file = await requirePublished(
      'settlement invoice',
      this.records.latest('settlement-invoice-file', participant, key),
    );
    // The name is made of the parsed key, never of what the client sent.
    const name = `invoice-${key.marketService}-${key.periodFrom}-${key.designation}.pdf`;
    void reply.header('content-disposition', `inline; filename="${name}"`);
    return file;
  }

  @Get(':marketService/invoice/:periodFrom/:designation')
  @Operation({
    id: 'settlement-invoice',
    summary: 'Settlement invoice of a period',
    description: 'The invoice issued last.',
    entity: 'SETTLEMENT',
    parameters: [marketService, periodFrom, designation, participantCode],
    response: { kind: 'document', resource: SettlementInvoice, list: false },
  })
  invoice(@Participant() participant: string, @Param() path: PathOf<PeriodKey>): Promise<Uint8Array> {
    const key = orNotFound(parsePeriodKey(path));
    const invoice = this.records.latest('settlement-invoice', participant, key);
    return requirePublished('settlement invoice', invoice);
  }

  @Get('timeline')
  @Operation({
    id: 'settlement-timeline',
    summary: 'Settlement cycle timeline',
    description: 'The cycles that have a run invoiced within the window; an empty list when there is none.',
    entity: 'SETTLEMENT',
    parameters: [
      dayInQuery('invoiceDateFrom', 'First invoice day', '2026-03-01'),
      dayInQuery('invoiceDateTo', 'Last invoice day', '2026-03-31'),
    ],
    response: { kind: 'document', resource: SettlementCycleTimeline, list: false },
  })
  timeline(@Query() query: QueryValues): Promise<Uint8Array> {
    const window = orNotFound(parseDayWindow(query, ['invoiceDateFrom', 'invoiceDateTo']));
    return rejectTooLarge(this.records.timeline(window));
  }
}
