import { Controller, Get, Param, Query, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { RecordStore } from '../records/record-store.js';
import { AccessGuard, Participant } from './access.guard.js';
import { orNotFound, rejectTooLarge, requirePublished } from './not-found.js';
import { OperationFailureFilter } from './operation-failure.filter.js';
import { OperationResponder } from './operation-responder.js';
import { Operation } from './operation.decorator.js';
import { parseDay, parseDayWindow, type QueryValues } from './parameters/day-window.js';

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
  @Operation({ id: 'prudential-range', entity: 'PRUDENTIAL' })
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
  @Operation({ id: 'prudential-summary', entity: 'PRUDENTIAL' })
  async summary(@Participant() participant: string, @Res() reply: FastifyReply): Promise<void> {
    const summary = await this.records.latest('prudential-summary', participant, {});
    this.responder.sendDocument(reply, requirePublished('prudential calculation', summary));
  }

  @Get('detail/:tradingDay')
  @Operation({ id: 'prudential-detail', entity: 'PRUDENTIAL' })
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
  @Operation({ id: 'prudential-estimation', entity: 'PRUDENTIAL' })
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
