import { Module } from '@nestjs/common';
import { RequestsModule } from '../requests/requests.module.js';
import { QuarantineQueries } from './quarantine-queries.js';
import { QuarantineController } from './quarantine.controller.js';

/** Messages that failed verification. */
@Module({
  imports: [RequestsModule],
  controllers: [QuarantineController],
  providers: [QuarantineQueries],
})
export class QuarantineModule {}
