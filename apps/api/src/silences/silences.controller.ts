import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { ID_DESCRIPTION, ID_SCHEMA } from '../database/find-id.js';
import { Listing } from '../http/listing.js';
import type { Page } from '../http/page.js';
import { notFound, Problems } from '../http/problems.js';
import { OptionalComment } from '../requests/comment.js';
import type { RequestRow } from '../requests/request-dto.js';
import { RequestOperation } from '../requests/request-operation.js';
import { WaitForEnd, type Wait } from '../requests/wait.js';
import { NewSilence, SilenceRow, SilencesQuery } from './silence-dto.js';
import { SilenceQueries } from './silence-queries.js';
import { SilenceRequests } from './silence-requests.js';

const SilenceId = (): MethodDecorator =>
  ApiParam({ name: 'id', schema: ID_SCHEMA, description: ID_DESCRIPTION });

@ApiTags('silences')
@ApiSecurity('token')
@Problems(401, 429, 503)
@Controller('v1/silences')
export class SilencesController {
  constructor(
    private readonly silences: SilenceQueries,
    private readonly requests: SilenceRequests,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Lists the silences that apply or will apply, the newest first',
    description: 'A caller of some participants sees the silences that name only these.',
  })
  @Listing(SilenceRow)
  list(@CurrentCaller() caller: Caller, @Query() query: SilencesQuery): Promise<Page<SilenceRow>> {
    return this.silences.list(caller, query);
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Shows a silence',
    description: 'Also one that has ended. 409 when several silences begin with the id.',
  })
  @SilenceId()
  @ApiOkResponse({ description: 'The silence.', type: SilenceRow })
  @Problems(404, 409)
  async show(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<SilenceRow> {
    return (await this.silences.find(caller, id))?.silence ?? notFound('silence');
  }

  @Post()
  @ApiOperation({
    summary: 'Requests a silence',
    description:
      'It covers a fault of the bridge only with `problems` bridge-fault or with `reasons`. alerts.maxSilence of CONFIG_FILE limits its length.',
  })
  @RequestOperation()
  add(
    @CurrentCaller() caller: Caller,
    @Body() silence: NewSilence,
    @WaitForEnd() wait: Wait,
  ): Promise<RequestRow> {
    return this.requests.add(caller, silence, wait);
  }

  @Post(':id/end')
  @ApiOperation({
    summary: 'Ends a silence before its time',
    description: 'An open problem whose alert was withheld is then reminded of once.',
  })
  @SilenceId()
  @Problems(404)
  @RequestOperation()
  end(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { comment }: OptionalComment,
    @WaitForEnd() wait: Wait,
  ): Promise<RequestRow> {
    return this.requests.end(caller, id, comment, wait);
  }
}
