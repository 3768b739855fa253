import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, ForAllParticipants } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { Listing } from '../http/listing.js';
import type { Page } from '../http/page.js';
import { Problems } from '../http/problems.js';
import { AUDIT_COLUMNS, AuditQuery, AuditRow } from './audit-dto.js';
import { AuditQueries } from './audit-queries.js';

@ApiTags('audit')
@ApiSecurity('token')
@Problems(401, 403, 429, 503)
@ForAllParticipants()
@Controller('v1/audit')
export class AuditController {
  constructor(private readonly audit: AuditQueries) {}

  @Get()
  @ApiOperation({
    summary: 'Lists what people requested and how it ended, the newest first',
    description: 'Needs access to all participants.',
  })
  @Listing(AuditRow, AUDIT_COLUMNS)
  list(@CurrentCaller() caller: Caller, @Query() query: AuditQuery): Promise<Page<AuditRow>> {
    return this.audit.list(caller, query);
  }
}
