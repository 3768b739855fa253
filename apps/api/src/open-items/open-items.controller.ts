import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { Listing } from '../http/listing.js';
import type { Page } from '../http/page.js';
import { Problems } from '../http/problems.js';
import { OPEN_ITEM_COLUMNS, OpenItemRow, OpenItemsQuery } from './open-item-dto.js';
import { OpenItems } from './open-items.js';

@ApiTags('market')
@ApiSecurity('token')
@Controller('v1/open-items')
export class OpenItemsController {
  constructor(private readonly items: OpenItems) {}

  @Get()
  @Problems(401, 429, 502, 503)
  @ApiOperation({
    summary: 'Lists what the operator should have published by now, and has not',
    description:
      'What is missing for longest comes first. The poller lists it at each poll. 503 when a poller does not respond that may list further participants. Runs that have left the timeline are not listed: the problems of the kinds statement-overdue and invoice-overdue are.',
  })
  @Listing(OpenItemRow, OPEN_ITEM_COLUMNS)
  list(@CurrentCaller() caller: Caller, @Query() query: OpenItemsQuery): Promise<Page<OpenItemRow>> {
    return this.items.list(caller, query);
  }
}
