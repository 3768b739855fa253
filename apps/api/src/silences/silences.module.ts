import { Module } from '@nestjs/common';
import { RequestsModule } from '../requests/requests.module.js';
import { SilenceQueries } from './silence-queries.js';
import { SilenceRequests } from './silence-requests.js';
import { SilencesController } from './silences.controller.js';

/** Silences: for a time, deliveries are withheld. */
@Module({
  imports: [RequestsModule],
  controllers: [SilencesController],
  providers: [SilenceQueries, SilenceRequests],
  exports: [SilenceQueries],
})
export class SilencesModule {}
