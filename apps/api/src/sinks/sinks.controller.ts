import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, ForAllParticipants } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { Listing } from '../http/listing.js';
import { PageQuery, type Page } from '../http/page.js';
import { notFound, Problems } from '../http/problems.js';
import { isName } from '../http/texts.js';
import { OptionalComment, RequiredComment } from '../requests/comment.js';
import type { RequestRow } from '../requests/request-dto.js';
import { RequestOperation } from '../requests/request-operation.js';
import { RequestWriter } from '../requests/request-writer.js';
import { WaitForEnd, type Wait } from '../requests/wait.js';
import { SINK_COLUMNS, SinkRow } from './sink-dto.js';
import { SinkQueries } from './sink-queries.js';

const SinkName = (): MethodDecorator => ApiParam({ name: 'name', description: 'Name of the sink.' });

/** The counts of a sink are about all participants. */
@ApiTags('sinks')
@ApiSecurity('token')
@Problems(401, 403, 429, 503)
@ForAllParticipants()
@Controller('v1/sinks')
export class SinksController {
  constructor(
    private readonly sinks: SinkQueries,
    private readonly writer: RequestWriter,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Lists the sinks with what waits for them, by name',
    description:
      'Those of CONFIG_FILE, and those that have had deliveries. Needs access to all participants.',
  })
  @Listing(SinkRow, SINK_COLUMNS)
  list(@CurrentCaller() caller: Caller, @Query() query: PageQuery): Promise<Page<SinkRow>> {
    return this.sinks.list(caller, query);
  }

  @Post(':name/test')
  @ApiOperation({
    summary: 'Sends a test to the sink',
    description: 'One attempt, which is recorded. `result` has the outcome and the response.',
  })
  @SinkName()
  @Problems(404)
  @RequestOperation()
  test(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Body() { comment }: OptionalComment,
    @WaitForEnd() wait: Wait,
  ): Promise<RequestRow> {
    return this.add('test', caller, name, comment, wait);
  }

  @Post(':name/enable')
  @ApiOperation({
    summary: 'Delivers to the sink again',
    description: 'Beginning with the deliveries that waited meanwhile.',
  })
  @SinkName()
  @Problems(404)
  @RequestOperation()
  enable(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Body() { comment }: OptionalComment,
    @WaitForEnd() wait: Wait,
  ): Promise<RequestRow> {
    return this.add('enable-sink', caller, name, comment, wait);
  }

  @Post(':name/disable')
  @ApiOperation({
    summary: 'Delivers nothing to the sink until it is enabled',
    description: 'It keeps its deliveries.',
  })
  @SinkName()
  @Problems(404)
  @RequestOperation()
  disable(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Body() { comment }: RequiredComment,
    @WaitForEnd() wait: Wait,
  ): Promise<RequestRow> {
    return this.add('disable-sink', caller, name, comment, wait);
  }

  private async add(
    kind: string,
    caller: Caller,
    sink: string,
    comment: string | undefined,
    wait: Wait,
  ): Promise<RequestRow> {
    if (!isName(sink)) notFound('sink');
    return this.writer.add(caller, { kind, parameters: { sink }, comment }, wait);
  }
}
