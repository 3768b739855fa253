import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, ForAllParticipants } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { ID_SCHEMA } from '../database/find-id.js';
import { Listing } from '../http/listing.js';
import type { Page } from '../http/page.js';
import { notFound, Problems } from '../http/problems.js';
import { OptionalComment, RequiredComment } from '../requests/comment.js';
import type { RequestRow } from '../requests/request-dto.js';
import { RequestOperation } from '../requests/request-operation.js';
import { RequestWriter } from '../requests/request-writer.js';
import { WaitForEnd, type Wait } from '../requests/wait.js';
import { ProblemDetail } from './problem-detail-dto.js';
import { ProblemDetails } from './problem-details.js';
import { PROBLEM_COLUMNS, ProblemRow, ProblemsQuery } from './problem-dto.js';
import { ProblemQueries } from './problem-queries.js';

const ProblemId = (): MethodDecorator =>
  ApiParam({
    name: 'id',
    schema: ID_SCHEMA,
    description: 'Id of the problem, or its first 6 characters or more.',
  });

@ApiTags('problems')
@ApiSecurity('token')
@Problems(401, 429, 503)
@Controller('v1/problems')
export class ProblemsController {
  constructor(
    private readonly problems: ProblemQueries,
    private readonly details: ProblemDetails,
    private readonly writer: RequestWriter,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Lists problems: open ones first, then acknowledged ones, of these the worst first',
    description: 'Ended ones follow when `state` asks for them, the newest first.',
  })
  @Listing(ProblemRow, PROBLEM_COLUMNS)
  list(@CurrentCaller() caller: Caller, @Query() query: ProblemsQuery): Promise<Page<ProblemRow>> {
    return this.problems.list(caller, query);
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Shows a problem: its history, who was notified, and whether they accepted it',
    description: '409 when several problems begin with the id.',
  })
  @ProblemId()
  @ApiOkResponse({ description: 'The problem.', type: ProblemDetail })
  @Problems(404, 409)
  async show(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ProblemDetail> {
    return this.details.read(caller, await this.find(caller, id));
  }

  @Post('rebuild')
  @ApiOperation({
    summary: 'Derives all problems again from the archive and the requests',
    description: 'Needs access to all participants.',
  })
  @ForAllParticipants()
  @RequestOperation()
  rebuild(
    @CurrentCaller() caller: Caller,
    @Body() { comment }: OptionalComment,
    @WaitForEnd() wait: Wait,
  ): Promise<RequestRow> {
    return this.writer.add(caller, { kind: 'rebuild-problems', parameters: {}, comment }, wait);
  }

  @Post(':id/acknowledge')
  @ApiOperation({
    summary: 'Records that a person knows of the problem',
    description: 'It becomes open again when its severity or level rises.',
  })
  @ProblemId()
  @Problems(404)
  @RequestOperation()
  acknowledge(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { comment }: OptionalComment,
    @WaitForEnd() wait: Wait,
  ): Promise<RequestRow> {
    return this.decide('acknowledge', caller, id, comment, wait);
  }

  @Post(':id/close')
  @ApiOperation({
    summary: 'Ends the problem',
    description:
      'The next event that reports the state opens another problem. A problem of the kind disagreement stays closed.',
  })
  @ProblemId()
  @Problems(404)
  @RequestOperation()
  close(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { comment }: RequiredComment,
    @WaitForEnd() wait: Wait,
  ): Promise<RequestRow> {
    return this.decide('close', caller, id, comment, wait);
  }

  private async decide(
    kind: 'acknowledge' | 'close',
    caller: Caller,
    id: string,
    comment: string | undefined,
    wait: Wait,
  ): Promise<RequestRow> {
    const { id: problemId } = await this.find(caller, id);
    return this.writer.add(caller, { kind, parameters: { problemId }, comment }, wait);
  }

  /** @throws ProblemException 404, 409 */
  private async find(caller: Caller, id: string): Promise<ProblemRow> {
    return (await this.problems.find(caller, id)) ?? notFound('problem');
  }
}
