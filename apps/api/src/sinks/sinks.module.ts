import { Module } from '@nestjs/common';
import { RequestsModule } from '../requests/requests.module.js';
import { SinkQueries } from './sink-queries.js';
import { SinksController } from './sinks.controller.js';

/** Receivers of deliveries. */
@Module({ imports: [RequestsModule], controllers: [SinksController], providers: [SinkQueries] })
export class SinksModule {}
