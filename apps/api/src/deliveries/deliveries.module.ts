import { Module } from '@nestjs/common';
import { RequestsModule } from '../requests/requests.module.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveryQueries } from './delivery-queries.js';
import { DeliveryRequests } from './delivery-requests.js';

/** What the sinks get. */
@Module({
  imports: [RequestsModule],
  controllers: [DeliveriesController],
  providers: [DeliveryQueries, DeliveryRequests],
  exports: [DeliveryQueries],
})
export class DeliveriesModule {}
