import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, ForAllParticipants } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { Listing } from '../http/listing.js';
import type { Page } from '../http/page.js';
import { notFound, Problems } from '../http/problems.js';
import { OptionalComment } from '../requests/comment.js';
import type { RequestRow } from '../requests/request-dto.js';
import { RequestOperation } from '../requests/request-operation.js';
import { RequestWriter } from '../requests/request-writer.js';
import { WaitForEnd, type Wait } from '../requests/wait.js';
import { QUARANTINE_COLUMNS, QuarantineDetail, QuarantineQuery, QuarantineRow } from './quarantine-dto.js';
import { QuarantineQueries } from './quarantine-queries.js';

/** Nobody has verified about which participant a quarantined message is. */
@ApiTags('quarantine')
@ApiSecurity('token')
@Problems(401, 403, 429, 503)
@ForAllParticipants()
@Controller('v1/quarantine')
export class QuarantineController {
  constructor(
    private readonly quarantine: QuarantineQueries,
    private readonly writer: RequestWriter,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Lists messages that failed verification, the newest first',
    description: 'Open ones by default. Needs access to all participants.',
  })
  @Listing(QuarantineRow, QUARANTINE_COLUMNS)
  list(@Query() query: QuarantineQuery): Promise<Page<QuarantineRow>> {
    return this.quarantine.list(query);
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Shows a quarantined message with its payload',
    description: 'At most the first 64 KiB of it. Nothing in it is verified.',
  })
  @ApiOkResponse({ description: 'The message.', type: QuarantineDetail })
  @Problems(404)
  async show(@Param('id') id: string): Promise<QuarantineDetail> {
    return (await this.quarantine.find(id)) ?? notFound('message');
  }

  @Post('recheck')
  @ApiOperation({
    summary: 'Evaluates all open messages again',
    description: 'Those that pass are archived and delivered.',
  })
  @RequestOperation()
  recheck(
    @CurrentCaller() caller: Caller,
    @Body() { comment }: OptionalComment,
    @WaitForEnd() wait: Wait,
  ): Promise<RequestRow> {
    return this.writer.add(caller, { kind: 'recheck-quarantine', parameters: {}, comment }, wait);
  }
}
