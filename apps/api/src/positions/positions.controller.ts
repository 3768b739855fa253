import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { Listing } from '../http/listing.js';
import type { Page } from '../http/page.js';
import { Problems } from '../http/problems.js';
import { ParticipantPosition, PositionsQuery, SERIES_COLUMNS, toSeriesRows } from './position-dto.js';
import { MAX_PARTICIPANTS, Positions } from './positions.js';

@ApiTags('market')
@ApiSecurity('token')
@Problems(401, 429, 503)
@Controller('v1/positions')
export class PositionsController {
  constructor(private readonly positions: Positions) {}

  @Get()
  @ApiOperation({
    summary: 'Lists the position of each participant, with its series for charts',
    description: `By the code of the participant, at most ${MAX_PARTICIPANTS} on a page. CSV has a line for each bucket of the series.`,
  })
  @Listing(ParticipantPosition, SERIES_COLUMNS, toSeriesRows)
  list(@CurrentCaller() caller: Caller, @Query() query: PositionsQuery): Promise<Page<ParticipantPosition>> {
    return this.positions.list(caller, query, new Date());
  }
}
