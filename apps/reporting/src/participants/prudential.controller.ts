import { Controller, Get, Param, Query, UseGuards, UseInterceptors } from '@nestjs/common';
import { PrudentialCalculation, PrudentialCalculationSummary, SettlementOutput } from '@ssb/market';
import { RecordStore } from '../records/record-store.js';
import { AccessGuard, Participant } from './access.guard.js';
import { orNotFound, rejectTooLarge, requirePublished } from './not-found.js';
import { Operation } from './operation.decorator.js';
import { parseDay, parseDayWindow, type QueryValues } from './parameters/day-window.js';
import { dayInQuery, participantCode, tradingDay } from './parameters/parameter-descriptions.js';
import { ResponseInterceptor } from './response.interceptor.js';

/** Document 000, operations 1 to 4. */
@Controller('api/v2/prudential')
@UseGuards(AccessGuard)
@UseInterceptors(ResponseInterceptor)
export class PrudentialController {
  constructor(private readonly records: RecordStore) {}

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
  range(@Participant() participant: string, @Query() query: QueryValues): Promise<Uint8Array> {
    const window = orNotFound(parseDayWindow(query, ['dateFrom', 'dateTo']));
    return rejectTooLarge(this.records.calculations(participant, window));
  }

  @Get('summary/latest')
  @Operation({
    id: 'prudential-summary',
    summary: 'Latest outstanding amount',
    description: 'Of the calculation made last; a forecast is no position.',
    entity: 'PRUDENTIAL',
    parameters: [],
    response: { kind: 'document', resource: PrudentialCalculationSummary, list: false },
  })
  summary(@Participant() participant: string): Promise<Uint8Array> {
    const summary = this.records.latest('prudential-summary', participant, {});
    return requirePublished('prudential calculation', summary);
  }

  @Get('detail/:tradingDay')
  @Operation({
    id: 'prudential-detail',
    summary: 'Low-level prudential detail of one day',
    entity: 'PRUDENTIAL',
    parameters: [tradingDay],
    response: { kind: 'document', resource: SettlementOutput, list: false },
  })
  detail(@Participant() participant: string, @Param('tradingDay') day: string): Promise<Uint8Array> {
    const key = { tradingDay: orNotFound(parseDay('tradingDay', day)) };
    return requirePublished('prudential detail', this.records.latest('prudential-detail', participant, key));
  }

  @Get('estimation/:tradingDay')
  @Operation({
    id: 'prudential-estimation',
    summary: 'NSTEM estimation detail of one day',
    entity: 'PRUDENTIAL',
    parameters: [tradingDay],
    response: { kind: 'document', resource: SettlementOutput, list: false },
  })
  estimation(@Participant() participant: string, @Param('tradingDay') day: string): Promise<Uint8Array> {
    const key = { tradingDay: orNotFound(parseDay('tradingDay', day)) };
    const estimation = this.records.latest('prudential-estimation', participant, key);
    return requirePublished('prudential estimation', estimation);
  }
}
