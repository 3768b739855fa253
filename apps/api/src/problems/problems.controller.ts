import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, ForAllParticipants } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { Problems } from '../http/problems.js';
import { OptionalComment } from '../requests/comment.js';
import type { RequestRow } from '../requests/request-dto.js';
import { RequestOperation } from '../requests/request-operation.js';
import { RequestWriter } from '../requests/request-writer.js';
import { WaitForEnd, type Wait } from '../requests/wait.js';

@ApiTags('problems')
@ApiSecurity('token')
@Problems(401, 422, 429, 503)
@Controller('v1/problems')
export class ProblemsController {
  constructor(private readonly writer: RequestWriter) {}

  @Post('rebuild')
  @ApiOperation({ summary: 'Derives all problems again from the archive and the requests' })
  @ForAllParticipants()
  @RequestOperation()
  rebuild(
    @CurrentCaller() caller: Caller,
    @Body() { comment }: OptionalComment,
    @WaitForEnd() wait: Wait,
  ): Promise<RequestRow> {
    return this.writer.add(caller, { kind: 'rebuild-problems', parameters: {}, comment }, wait);
  }
}
