import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { Problems } from '../http/problems.js';
import { CallerAccess } from './caller-dto.js';

@ApiTags('caller')
@ApiSecurity('token')
@Problems(401, 429, 503)
@Controller('v1/caller')
export class CallerController {
  @Get()
  @ApiOperation({
    summary: 'Shows what the credentials of the request grant',
    description: 'The role, and the participants that they see.',
  })
  @ApiOkResponse({ type: CallerAccess })
  read(@CurrentCaller() { name, role, participants, expiresAt }: Caller): CallerAccess {
    const isLimited = participants !== 'all';
    return {
      name,
      role,
      allParticipants: !isLimited,
      ...(isLimited && { participants: [...participants].sort() }),
      ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
    };
  }
}
