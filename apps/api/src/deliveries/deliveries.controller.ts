import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { Listing } from '../http/listing.js';
import type { Page } from '../http/page.js';
import { notFound, Problems } from '../http/problems.js';
import { isStorable } from '../http/texts.js';
import { DeliveryDetail } from './delivery-detail-dto.js';
import { DELIVERY_COLUMNS, DeliveriesQuery, DeliveryRow, MAX_NAME_LENGTH } from './delivery-dto.js';
import { DeliveryQueries } from './delivery-queries.js';

@ApiTags('deliveries')
@ApiSecurity('token')
@Problems(401, 422, 429, 503)
@Controller('v1/deliveries')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveryQueries) {}

  @Get()
  @ApiOperation({
    summary: 'Lists what the sinks get, what was added last comes first',
    description: 'A digest has events of several participants. It needs access to all participants.',
  })
  @Problems(406)
  @Listing(DeliveryRow, DELIVERY_COLUMNS)
  list(@CurrentCaller() caller: Caller, @Query() query: DeliveriesQuery): Promise<Page<DeliveryRow>> {
    return this.deliveries.list(caller, query);
  }

  @Get(':eventId/:sink')
  @ApiOperation({ summary: 'Shows a delivery with its attempts' })
  @ApiOkResponse({ description: 'The delivery.', type: DeliveryDetail })
  @Problems(404)
  async show(
    @CurrentCaller() caller: Caller,
    @Param('eventId') eventId: string,
    @Param('sink') sink: string,
  ): Promise<DeliveryDetail> {
    const isPossible = [eventId, sink].every((name) => isStorable(name, MAX_NAME_LENGTH));
    return (
      (isPossible ? await this.deliveries.find(caller, eventId, sink) : undefined) ?? notFound('delivery')
    );
  }
}
