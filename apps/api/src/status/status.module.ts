import { Module } from '@nestjs/common';
import { HopsModule } from '../hops/hops.module.js';
import { ArchiveStatusReader } from './archive-status.js';
import { HopStatusReader } from './hop-status.js';
import { StatusController } from './status.controller.js';
import { StatusReader } from './status-reader.js';

/** The state of the whole bridge. */
@Module({
  imports: [HopsModule],
  controllers: [StatusController],
  providers: [StatusReader, HopStatusReader, ArchiveStatusReader],
})
export class StatusModule {}
