import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { writeEvidence } from 'settlement-bus-downstream/checks';
import { CurrentCaller, ForAllParticipants } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { ID_DESCRIPTION, ID_SCHEMA } from '../database/find-id.js';
import { Listing } from '../http/listing.js';
import { PageQuery, type Page } from '../http/page.js';
import { notFound, Problems } from '../http/problems.js';
import { EventEvidence } from './event-evidence.js';
import { Evidence, TrustedKeyRow } from './evidence-dto.js';
import { KeyHistory } from './key-history.js';

@ApiTags('evidence')
@ApiSecurity('token')
@Problems(401, 429, 503)
@Controller('v1')
export class EvidenceController {
  constructor(
    private readonly evidence: EventEvidence,
    private readonly keys: KeyHistory,
  ) {}

  @Get('events/:id/evidence')
  @Header('content-type', 'application/json; charset=utf-8')
  @ApiOperation({
    summary: 'Writes what proves an event, for someone without access to the bridge',
    description:
      'Keep the bytes of the response: "busbridge verify" verifies them. Responses of sinks are only in those of operators.',
  })
  @ApiParam({
    name: 'id',
    schema: ID_SCHEMA,
    description: ID_DESCRIPTION,
  })
  @ApiOkResponse({ description: 'The evidence file.', type: Evidence })
  @Problems(404, 409)
  async write(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<Buffer> {
    return Buffer.from(writeEvidence((await this.evidence.read(caller, id)) ?? notFound('event')));
  }

  @Get('trusted-keys')
  @ForAllParticipants()
  @ApiOperation({
    summary: 'Lists the keys that were trusted on each channel, and when',
    description: 'The oldest of a channel and role first. Needs access to all participants.',
  })
  @Problems(403)
  @Listing(TrustedKeyRow)
  listKeys(@Query() query: PageQuery): Promise<Page<TrustedKeyRow>> {
    return this.keys.list(query);
  }
}
