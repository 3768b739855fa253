import { Module } from '@nestjs/common';
import { DeliveriesModule } from '../deliveries/deliveries.module.js';
import { EventDetails } from './event-details.js';
import { EventQueries } from './event-queries.js';
import { EventsController } from './events.controller.js';
import { SchemasController } from './schemas.controller.js';
import { ArchiveTail } from './stream/archive-tail.js';
import { EventStreams } from './stream/event-streams.js';
import { TrustedKeys } from './trusted-keys.js';

/** Archived events, and the schemas of their types. */
@Module({
  imports: [DeliveriesModule],
  controllers: [EventsController, SchemasController],
  providers: [EventQueries, EventDetails, TrustedKeys, ArchiveTail, EventStreams],
})
export class EventsModule {}
