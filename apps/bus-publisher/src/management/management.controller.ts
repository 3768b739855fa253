import { Body, Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { OperateGuard, parseRequest, StatusGuard } from '@ssb/platform';
import { letterPageQuery, letterRetryBody, reportUnreadableRedis } from '@ssb/redis-queue';
import { PublisherMetrics, type PublisherQueueState } from '../monitoring/publisher-metrics.js';
import { DeadLetterRequests } from './dead-letter-requests.js';

/** A page has up to 100 events, which can be large. */
const PAGE_TIMEOUT_MS = 8_000;

interface PublisherState {
  /** Absent while Redis does not respond. */
  readonly queue?: PublisherQueueState['depth'] & {
    /** How long the first event has been ready to be processed. */
    readonly oldestWaitingSeconds: number;
    readonly deadLetters: number;
    readonly unverifiedDeadLetters: number;
  };
}

/** What the archive API shows of this app, and requests of it. */
@Controller()
export class ManagementController {
  constructor(
    private readonly metrics: PublisherMetrics,
    private readonly requests: DeadLetterRequests,
  ) {}

  @Get('state')
  @UseGuards(StatusGuard)
  readState(): PublisherState {
    const state = this.metrics.freshState();
    if (state === undefined) return {};
    const { depth, oldestWaitingMs, deadLetters, unverifiedDeadLetters } = state;
    const oldestWaitingSeconds = oldestWaitingMs / 1_000;
    return { queue: { ...depth, oldestWaitingSeconds, deadLetters, unverifiedDeadLetters } };
  }

  @Get('dead-letters')
  @UseGuards(StatusGuard)
  list(@Query() query: unknown): Promise<object> {
    const page = parseRequest(letterPageQuery, query);
    return reportUnreadableRedis(() => this.requests.list(page), PAGE_TIMEOUT_MS);
  }

  /** The event has amounts of a participant, so the right `status` is not enough. */
  @Get('dead-letters/:id')
  @UseGuards(OperateGuard)
  read(@Param('id') id: string): Promise<object> {
    return reportUnreadableRedis(() => this.requests.read(id));
  }

  @Post('dead-letters/retry')
  @HttpCode(200)
  @UseGuards(OperateGuard)
  retryPage(@Body() body: unknown): Promise<object> {
    const page = parseRequest(letterPageQuery, body ?? {});
    return reportUnreadableRedis(() => this.requests.retryPage(page), PAGE_TIMEOUT_MS);
  }

  @Post('dead-letters/:id/retry')
  @HttpCode(200)
  @UseGuards(OperateGuard)
  retry(@Param('id') id: string, @Body() body: unknown): Promise<object> {
    const { unverified } = parseRequest(letterRetryBody, body ?? {});
    return reportUnreadableRedis(() => this.requests.retry(id, unverified));
  }

  @Post('dead-letters/:id/remove')
  @HttpCode(200)
  @UseGuards(OperateGuard)
  remove(@Param('id') id: string): Promise<object> {
    return reportUnreadableRedis(() => this.requests.remove(id));
  }
}
