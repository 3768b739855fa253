import { Module } from '@nestjs/common';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveryQueries } from './delivery-queries.js';

/** What the sinks get. */
@Module({ controllers: [DeliveriesController], providers: [DeliveryQueries] })
export class DeliveriesModule {}
