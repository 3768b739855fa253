import { Module } from '@nestjs/common';
import { EventQueries } from './event-queries.js';
import { EventsController } from './events.controller.js';
import { SchemasController } from './schemas.controller.js';

/** Archived events, and the schemas of their types. */
@Module({ controllers: [EventsController, SchemasController], providers: [EventQueries] })
export class EventsModule {}
