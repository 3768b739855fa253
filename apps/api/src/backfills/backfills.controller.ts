import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, ForAllParticipants, ForOperators } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { Listing } from '../http/listing.js';
import { PageQuery, type Page } from '../http/page.js';
import { Problems } from '../http/problems.js';
import { OptionalComment } from '../requests/comment.js';
import { BackfillRow, ListedEvent, StartBackfillBody, StartedBackfill } from './backfill-dto.js';
import { Backfills } from './backfills.js';

@ApiTags('backfills')
@ApiSecurity('token')
@Problems(401, 403, 429, 502, 503)
@ForAllParticipants()
@Controller('v1/backfills')
export class BackfillsController {
  constructor(private readonly backfills: Backfills) {}

  @Get()
  @ApiOperation({
    summary: 'Lists the latest backfill of each participant',
    description: 'A backfill is kept for 30 days. Needs access to all participants.',
  })
  @Listing(BackfillRow)
  list(@Query() query: PageQuery): Promise<Page<BackfillRow>> {
    return this.backfills.list(query);
  }

  @Get(':participant')
  @ApiOperation({
    summary: 'Shows the latest backfill of a participant',
    description: '404 when the participant has had none.',
  })
  @ApiOkResponse({ type: BackfillRow })
  @Problems(404)
  read(@Param('participant') participant: string): Promise<BackfillRow> {
    return this.backfills.read(participant);
  }

  @Get(':participant/events')
  @ApiOperation({
    summary: 'Lists the events that a dry run has found',
    description: 'The first 50,000. Events of a step that was interrupted can be listed twice.',
  })
  @Problems(404)
  @Listing(ListedEvent, ['id', 'type', 'subject', 'time'])
  listed(@Param('participant') participant: string, @Query() query: PageQuery): Promise<Page<ListedEvent>> {
    return this.backfills.listed(participant, query);
  }

  @Post()
  @HttpCode(200)
  @ForOperators()
  @ApiOperation({
    summary: 'Starts the backfill of a past range, or continues it',
    description: '409 while the backfill of another range of the participant is not complete.',
  })
  @ApiOkResponse({ type: StartedBackfill })
  @Problems(400, 409, 413, 415)
  start(@CurrentCaller() caller: Caller, @Body() body: StartBackfillBody): Promise<StartedBackfill> {
    return this.backfills.start(caller, body);
  }

  @Post(':participant/cancel')
  @HttpCode(200)
  @ForOperators()
  @ApiOperation({
    summary: 'Ends the backfill of a participant',
    description:
      'Events that are queued are still published. 409 when the backfill is complete; its result is kept.',
  })
  @ApiOkResponse({ type: BackfillRow })
  @Problems(400, 404, 409, 413, 415)
  cancel(
    @CurrentCaller() caller: Caller,
    @Param('participant') participant: string,
    @Body() body: OptionalComment,
  ): Promise<BackfillRow> {
    return this.backfills.cancel(caller, participant, body);
  }
}
