import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { ID_DESCRIPTION, ID_SCHEMA } from '../database/find-id.js';
import { Listing } from '../http/listing.js';
import type { Page } from '../http/page.js';
import { notFound, Problems } from '../http/problems.js';
import { RequestDetail, RequestRow, RequestsQuery } from './request-dto.js';
import { MayWait } from './request-operation.js';
import { RequestQueries } from './request-queries.js';
import { RequestWriter } from './request-writer.js';
import { WaitForEnd, type Wait } from './wait.js';

@ApiTags('requests')
@ApiSecurity('token')
@Problems(401, 429, 503)
@Controller('v1/requests')
export class RequestsController {
  constructor(
    private readonly requests: RequestQueries,
    private readonly writer: RequestWriter,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Lists what people request, the newest first',
    description: 'A caller of some participants sees its own requests about what belongs to these alone.',
  })
  @Listing(RequestRow)
  list(@CurrentCaller() caller: Caller, @Query() query: RequestsQuery): Promise<Page<RequestRow>> {
    return this.requests.list(caller, query);
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Shows a request with what the audit log has of it',
    description:
      'With `wait`, once the request has ended or the time is over. 409 when several requests begin with the id.',
  })
  @ApiParam({ name: 'id', schema: ID_SCHEMA, description: ID_DESCRIPTION })
  @MayWait()
  @ApiOkResponse({ description: 'The request.', type: RequestDetail })
  @Problems(404, 409)
  async show(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @WaitForEnd() wait: Wait,
  ): Promise<RequestDetail> {
    const request = (await this.requests.find(caller, id)) ?? notFound('request');
    if (wait.seconds === 0 || request.endedAt !== undefined) return request;
    await this.writer.waitForEnd(request.id, wait);
    return (await this.requests.find(caller, request.id)) ?? notFound('request');
  }
}
