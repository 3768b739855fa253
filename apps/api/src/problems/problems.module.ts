import { Module } from '@nestjs/common';
import { RequestsModule } from '../requests/requests.module.js';
import { ProblemsController } from './problems.controller.js';

/** Problems: states that last until they are handled. */
@Module({ imports: [RequestsModule], controllers: [ProblemsController] })
export class ProblemsModule {}
