import { Module } from '@nestjs/common';
import { EventQueries } from './event-queries.js';
import { EventsController } from './events.controller.js';

/** Archived events. */
@Module({ controllers: [EventsController], providers: [EventQueries] })
export class EventsModule {}
