import { Module } from '@nestjs/common';
import { HopsModule } from '../hops/hops.module.js';
import { BackfillsController } from './backfills.controller.js';
import { Backfills } from './backfills.js';

/** Backfills, which the poller carries out. */
@Module({ imports: [HopsModule], controllers: [BackfillsController], providers: [Backfills] })
export class BackfillsModule {}
