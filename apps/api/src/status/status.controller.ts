import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { ForAllParticipants } from '../access/access.guard.js';
import { Problems } from '../http/problems.js';
import { Status } from './status-dto.js';
import { StatusReader } from './status-reader.js';

@ApiTags('status')
@ApiSecurity('token')
@Problems(401, 403, 429, 503)
@ForAllParticipants()
@Controller('v1/status')
export class StatusController {
  constructor(private readonly status: StatusReader) {}

  @Get()
  @ApiOperation({
    summary: 'Shows the state of each app, what lags, and what is wrong',
    description:
      'An app that does not respond is shown as unreachable. Without the database, what it knows is absent. Needs access to all participants.',
  })
  @ApiOkResponse({ type: Status })
  read(): Promise<Status> {
    return this.status.read();
  }
}
