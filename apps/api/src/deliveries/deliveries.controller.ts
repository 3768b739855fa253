import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { ID_DESCRIPTION, ID_SCHEMA } from '../database/find-id.js';
import { Listing } from '../http/listing.js';
import type { Page } from '../http/page.js';
import { notFound, Problems } from '../http/problems.js';
import { isName } from '../http/texts.js';
import type { RequestRow } from '../requests/request-dto.js';
import { RequestOperation } from '../requests/request-operation.js';
import { WaitForEnd, type Wait } from '../requests/wait.js';
import { DeliveryDetail } from './delivery-detail-dto.js';
import { DELIVERY_COLUMNS, DeliveriesQuery, DeliveryRow } from './delivery-dto.js';
import { DeliveryQueries } from './delivery-queries.js';
import { ReplayRequest, ResendRequest, SkipRequest } from './delivery-request-dto.js';
import { DeliveryRequests } from './delivery-requests.js';

@ApiTags('deliveries')
@ApiSecurity('token')
@Problems(401, 429, 503)
@Controller('v1')
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveryQueries,
    private readonly requests: DeliveryRequests,
  ) {}

  @Get('deliveries')
  @ApiOperation({
    summary: 'Lists what the sinks get, what was added last comes first',
    description: 'A digest has events of several participants. It needs access to all participants.',
  })
  @Problems(409)
  @Listing(DeliveryRow, DELIVERY_COLUMNS)
  list(@CurrentCaller() caller: Caller, @Query() query: DeliveriesQuery): Promise<Page<DeliveryRow>> {
    return this.deliveries.list(caller, query);
  }

  @Get('deliveries/:eventId/:sink')
  @ApiOperation({
    summary: 'Shows a delivery with its attempts',
    description: 'What the sink responded is for operators.',
  })
  @ApiParam({ name: 'eventId', schema: ID_SCHEMA, description: ID_DESCRIPTION })
  @ApiOkResponse({ description: 'The delivery.', type: DeliveryDetail })
  @Problems(404, 409)
  async show(
    @CurrentCaller() caller: Caller,
    @Param('eventId') eventId: string,
    @Param('sink') sink: string,
  ): Promise<DeliveryDetail> {
    const isPossible = [eventId, sink].every(isName);
    return (
      (isPossible ? await this.deliveries.find(caller, eventId, sink) : undefined) ?? notFound('delivery')
    );
  }

  @Post('deliveries/resend')
  @ApiOperation({
    summary: 'Makes deliveries pending again',
    description:
      'They keep id and body, so a receiver that has one drops it. An event in a digest is resent alone only with `events`.',
  })
  @RequestOperation()
  resend(
    @CurrentCaller() caller: Caller,
    @Body() selection: ResendRequest,
    @WaitForEnd() wait: Wait,
  ): Promise<RequestRow> {
    return this.requests.change('resend', caller, selection, wait);
  }

  @Post('deliveries/skip')
  @ApiOperation({
    summary: 'Ends pending and parked deliveries without an attempt',
    description: 'They stay listed, and can be resent.',
  })
  @RequestOperation()
  skip(
    @CurrentCaller() caller: Caller,
    @Body() selection: SkipRequest,
    @WaitForEnd() wait: Wait,
  ): Promise<RequestRow> {
    return this.requests.change('skip', caller, selection, wait);
  }

  @Post('replay')
  @ApiOperation({
    summary: 'Adds the archived events that a sink has not had',
    description: 'In the order of the archive, as notices with the mark replayed.',
  })
  @RequestOperation()
  replay(
    @CurrentCaller() caller: Caller,
    @Body() selection: ReplayRequest,
    @WaitForEnd() wait: Wait,
  ): Promise<RequestRow> {
    return this.requests.replay(caller, selection, wait);
  }
}
