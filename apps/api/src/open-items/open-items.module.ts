import { Module } from '@nestjs/common';
import { HopsModule } from '../hops/hops.module.js';
import { OpenItemsController } from './open-items.controller.js';
import { OpenItems } from './open-items.js';

/** What the operator should have published by now, which the poller knows. */
@Module({ imports: [HopsModule], controllers: [OpenItemsController], providers: [OpenItems] })
export class OpenItemsModule {}
