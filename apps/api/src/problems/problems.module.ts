import { Module } from '@nestjs/common';
import { RequestsModule } from '../requests/requests.module.js';
import { SilencesModule } from '../silences/silences.module.js';
import { ProblemDetails } from './problem-details.js';
import { ProblemQueries } from './problem-queries.js';
import { ProblemsController } from './problems.controller.js';

/** Problems: states that last until they are handled. */
@Module({
  imports: [RequestsModule, SilencesModule],
  controllers: [ProblemsController],
  providers: [ProblemDetails, ProblemQueries],
})
export class ProblemsModule {}
