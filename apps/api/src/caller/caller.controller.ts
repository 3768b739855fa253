import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { ACCESS_ROLES, type AccessRole } from '@ssb/keys';
import { CurrentCaller } from '../access/access.guard.js';
import { CREDENTIALS, type Caller, type Credentials } from '../access/caller.js';
import { Flag, Text, Texts, Time } from '../http/fields.js';
import { Problems } from '../http/problems.js';

/** What credentials grant. */
export class CallerAccess {
  @Text({ description: 'The author of its requests in the audit log.' }) readonly name!: string;
  @Text({ description: 'operator: may also act.', values: ACCESS_ROLES }) readonly role!: AccessRole;
  @Flag({ description: 'Whether it sees all participants, and what belongs to no single one.' })
  readonly allParticipants!: boolean;
  @Texts({ description: 'Codes of the participants that it sees; absent when it sees all.', optional: true })
  readonly participants?: readonly string[];
  @Time({ description: 'When the credentials end.', optional: true }) readonly expiresAt?: Date;
  @Text({ description: 'What the request was identified by.', values: CREDENTIALS, optional: true })
  readonly credentials?: Credentials;
}

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
  read(@CurrentCaller() { name, role, participants, expiresAt, credentials }: Caller): CallerAccess {
    const isLimited = participants !== 'all';
    return {
      name,
      role,
      allParticipants: !isLimited,
      ...(isLimited && { participants: [...participants].sort() }),
      ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
      ...(credentials !== undefined && { credentials }),
    };
  }
}
