import { Controller, Get, Headers, Param, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentCaller, LastingResponse } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { ID_DESCRIPTION, ID_SCHEMA } from '../database/find-id.js';
import { Listing } from '../http/listing.js';
import type { Page } from '../http/page.js';
import { notFound, Problems } from '../http/problems.js';
import { EventDetail } from './event-detail-dto.js';
import { EventDetails } from './event-details.js';
import { EVENT_COLUMNS, EventRow, EventsQuery, EventStreamQuery } from './event-dto.js';
import { EventQueries } from './event-queries.js';
import { EventStreams } from './stream/event-streams.js';

@ApiTags('events')
@ApiSecurity('token')
@Problems(401, 429, 503)
@Controller('v1/events')
export class EventsController {
  constructor(
    private readonly events: EventQueries,
    private readonly details: EventDetails,
    private readonly streams: EventStreams,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Lists archived events, the newest facts first',
    description: 'Heartbeats are left out unless their type is requested.',
  })
  @Listing(EventRow, EVENT_COLUMNS)
  list(@CurrentCaller() caller: Caller, @Query() query: EventsQuery): Promise<Page<EventRow>> {
    return this.events.list(caller, query);
  }

  @Get('stream')
  @LastingResponse()
  @ApiOperation({
    summary: 'Streams events as they are archived (Server-Sent Events)',
    description:
      'Each event has its id and, as JSON, the members of the listing and `event`. The first frame has an id without an event: the stream continues after it. An event `alive` without data comes every 15 seconds. The last frame, `end`, has the reason.',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description:
      'Last id that was received. Without it the stream begins now; with `beginning`, with the first event of the archive.',
    schema: { type: 'string' },
  })
  @ApiOkResponse({
    description: 'Events in the order of the archive.',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  @Problems(409)
  stream(
    @CurrentCaller() caller: Caller,
    @Query() query: EventStreamQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.streams.start(caller, query, lastEventId, reply);
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Shows an event, how it arrived, and who was notified of it',
    description: '409 when several events begin with the id.',
  })
  @ApiParam({
    name: 'id',
    schema: ID_SCHEMA,
    description: ID_DESCRIPTION,
  })
  @ApiOkResponse({ description: 'The event.', type: EventDetail })
  @Problems(404, 409)
  async show(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<EventDetail> {
    return (await this.details.find(caller, id)) ?? notFound('event');
  }
}
