import { Controller, Get, Param, Query, Res, UseFilters, UseGuards } from '@nestjs/common';
import { PrudentialCalculation, PrudentialCalculationSummary, SettlementOutput } from '@ssb/market';
import type { FastifyReply } from 'fastify';
import { RecordStore } from '../records/record-store.js';
import { AccessGuard, Participant } from './access.guard.js';
import { orNotFound, rejectTooLarge, requirePublished } from './not-found.js';
import { OperationFailureFilter } from './operation-failure.filter.js';
import { OperationResponder } from './operation-responder.js';
import { Operation } from './operation.decorator.js';
import { parseDay, parseDayWindow, type QueryValues } from './parameters/day-window.js';
import { dayInQuery, participantCode, tradingDay } from './parameters/parameter-descriptions.js';

/** Document 000, operations 1 to 4. */
@Controller('api/v2/prudential')
@UseGuards(AccessGuard)
@UseFilters(OperationFailureFilter)
export class PrudentialController {
  constructor(
    private readonly records: RecordStore,
    private readonly responder: OperationResponder,
  ) {}

  @Get()
  @Operation({
    id: 'prudential-range',
    summary: 'Prudential calculations of a range of trading days',
    description:
      'Every calculation, forecasts too, whose trading day lies in the range, by trading day and then by the time it was made; an empty list when there is none.',
    entity: 'PRUDENTIAL',
    parameters: [
      dayInQuery('dateFrom', 'First trading day', '2026-03-01'),
      dayInQuery('dateTo', 'Last trading day', '2026-03-07'),
      participantCode,
    ],
    response: { kind: 'document', resource: PrudentialCalculation, list: true },
  })
  async range(
    @Participant() participant: string,
    @Query() query: QueryValues,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const window = orNotFound(parseDayWindow(query, ['dateFrom', 'dateTo']));
    const calculations = await rejectTooLarge(this.records.calculations(participant, window));
    this.responder.sendDocument(reply, calculations);
  }

  @Get('summary/latest')
  @Operation({
    id: 'prudential-summary',
    summary: 'Latest outstanding amount',
    description: 'Of the calculation made last; a forecast is not a position.',
    entity: 'PRUDENTIAL',
    parameters: [],
    response: { kind: 'document', resource: PrudentialCalculationSummary, list: false },
  })
  async summary(@Participant() participant: string, @Res() reply: FastifyReply): Promise<void> {
    const summary = await this.records.latest('prudential-summary', participant, {});
    this.responder.sendDocument(reply, requirePublished('prudential calculation', summary));
  }

  @Get('detail/:tradingDay')
  @Operation({
    id: 'prudential-detail',
    summary: 'Low-level prudential detail of one day',
    entity: 'PRUDENTIAL',
    parameters: [tradingDay],
    response: { kind: 'document', resource: SettlementOutput, list: false },
  })
  async detail(
    @Participant() participant: string,
    @Param('tradingDay') day: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = { tradingDay: orNotFound(parseDay('tradingDay', day)) };
    const detail = await this.records.latest('prudential-detail', participant, key);
    this.responder.sendDocument(reply, requirePublished('prudential detail', detail));
  }

  @Get('estimation/:tradingDay')
  @Operation({
    id: 'prudential-estimation',
    summary: 'NSTEM estimation detail of one day',
    entity: 'PRUDENTIAL',
    parameters: [tradingDay],
    response: { kind: 'document', resource: SettlementOutput, list: false },
  })
  async estimation(
    @Participant() participant: string,
    @Param('tradingDay') day: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const key = { tradingDay: orNotFound(parseDay('tradingDay', day)) };
    const estimation = await this.records.latest('prudential-estimation', participant, key);
    this.responder.sendDocument(reply, requirePublished('prudential estimation', estimation));
  }
}
