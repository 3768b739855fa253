import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { Listing } from '../http/listing.js';
import type { Page } from '../http/page.js';
import { Problems } from '../http/problems.js';
import { EVENT_COLUMNS, EventRow, EventsQuery } from './event-dto.js';
import { EventQueries } from './event-queries.js';

@ApiTags('events')
@ApiSecurity('token')
@Problems(401, 406, 422, 429, 503)
@Controller('v1/events')
export class EventsController {
  constructor(private readonly events: EventQueries) {}

  @Get()
  @ApiOperation({
    summary: 'Lists archived events, the newest facts first',
    description: 'Heartbeats are left out unless their type is requested.',
  })
  @Listing(EventRow, EVENT_COLUMNS)
  list(@CurrentCaller() caller: Caller, @Query() query: EventsQuery): Promise<Page<EventRow>> {
    return this.events.list(caller, query);
  }
}
