import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { HopActions } from './hop-actions.js';
import { Hops } from './hops.js';

/** The other apps of the bridge, and actions that they carry out. */
@Module({ imports: [AuditModule], providers: [Hops, HopActions], exports: [Hops, HopActions] })
export class HopsModule {}
