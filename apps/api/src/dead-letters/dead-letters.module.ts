import { Module } from '@nestjs/common';
import { HopsModule } from '../hops/hops.module.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { DeadLetters } from './dead-letters.js';

/** Events that the bus-publisher could not publish. */
@Module({ imports: [HopsModule], controllers: [DeadLettersController], providers: [DeadLetters] })
export class DeadLettersModule {}
