import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, ForAllParticipants, ForOperators } from '../access/access.guard.js';
import type { Caller } from '../access/caller.js';
import { Listing } from '../http/listing.js';
import type { Page } from '../http/page.js';
import { Problems } from '../http/problems.js';
import { OptionalComment } from '../requests/comment.js';
import {
  DEAD_LETTER_COLUMNS,
  DeadLetter,
  DeadLetterRow,
  DeadLettersQuery,
  RetriedLetter,
  RetriedPage,
  RetryBody,
  RetryPageBody,
} from './dead-letter-dto.js';
import { DeadLetters } from './dead-letters.js';

@ApiTags('dead letters')
@ApiSecurity('token')
@Problems(401, 403, 429, 502, 503)
@ForAllParticipants()
@Controller('v1/dead-letters')
export class DeadLettersController {
  constructor(private readonly letters: DeadLetters) {}

  @Get()
  @ApiOperation({
    summary: 'Lists the events that could not be published, the oldest first',
    description: 'Those without a valid HMAC come last. Needs access to all participants.',
  })
  @Listing(DeadLetterRow, DEAD_LETTER_COLUMNS)
  list(@Query() query: DeadLettersQuery): Promise<Page<DeadLetterRow>> {
    return this.letters.list(query);
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Shows a dead letter with its event',
    description: 'Nothing in it is verified unless `verified` is true.',
  })
  @ApiOkResponse({ type: DeadLetter })
  @Problems(404)
  read(@Param('id') id: string): Promise<DeadLetter> {
    return this.letters.read(id);
  }

  @Post('retry')
  @HttpCode(200)
  @ForOperators()
  @ApiOperation({
    summary: 'Queues dead letters again, page by page',
    description:
      'Repeat it with `cursor` until the response has no `next`. Those without a valid HMAC are refused.',
  })
  @ApiOkResponse({ type: RetriedPage })
  @Problems(400, 413, 415)
  retryPage(@CurrentCaller() caller: Caller, @Body() body: RetryPageBody): Promise<RetriedPage> {
    return this.letters.retryPage(caller, body);
  }

  @Post(':id/retry')
  @HttpCode(200)
  @ForOperators()
  @ApiOperation({
    summary: 'Queues a dead letter again',
    description:
      'It leaves the list once its event is published. 409 when CONFIG_FILE does not allow the event.',
  })
  @ApiOkResponse({ type: RetriedLetter })
  @Problems(400, 404, 409, 413, 415)
  retry(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: RetryBody,
  ): Promise<RetriedLetter> {
    return this.letters.retry(caller, id, body);
  }

  @Post(':id/remove')
  @HttpCode(200)
  @ForOperators()
  @ApiOperation({
    summary: 'Removes a dead letter without publishing its event',
    description: 'It cannot be restored.',
  })
  @ApiOkResponse({ type: DeadLetterRow })
  @Problems(400, 404, 413, 415)
  remove(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: OptionalComment,
  ): Promise<DeadLetterRow> {
    return this.letters.remove(caller, id, body);
  }
}
