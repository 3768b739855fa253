import { Module } from '@nestjs/common';
import { RequestQueries } from './request-queries.js';
import { RequestWriter } from './request-writer.js';
import { RequestsController } from './requests.controller.js';

/** Requests of people: `RequestWriter` adds them. */
@Module({
  controllers: [RequestsController],
  providers: [RequestQueries, RequestWriter],
  exports: [RequestWriter],
})
export class RequestsModule {}
