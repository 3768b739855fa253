import { Module } from '@nestjs/common';
import { ActionAudit } from './action-audit.js';
import { AuditQueries } from './audit-queries.js';
import { AuditController } from './audit.controller.js';

/** The audit table, and actions that are recorded in it. */
@Module({
  controllers: [AuditController],
  providers: [AuditQueries, ActionAudit],
  exports: [ActionAudit],
})
export class AuditModule {}
