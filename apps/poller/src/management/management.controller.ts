import { Body, Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { OperateGuard, parseRequest, StatusGuard } from '@ssb/platform';
import { MAX_LISTED_EVENTS, reportUnreadableRedis } from '@ssb/redis-queue';
import { z } from 'zod';
import { Backfills, type BackfillState } from './backfills.js';
import { OpenItems, type OpenItemList } from './open-items.js';
import { FullRecords, type RecordPart } from './full-records.js';
import { PollerStateReader, type PollerState } from './poller-state.js';

const backfillBody = z.strictObject({
  participant: z.string().min(1).max(60),
  from: z.iso.date(),
  /** Until today when absent. */
  to: z.iso.date().optional(),
  dryRun: z.boolean().default(false),
});

const MAX_PAGE_SIZE = 100;

const listedQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(MAX_PAGE_SIZE),
  /** Number of events before the page. */
  cursor: z.coerce.number().int().min(0).max(MAX_LISTED_EVENTS).default(0),
});

/** Participants that a request may name: those of one configuration. */
const MAX_PARTICIPANTS = 1_000;
const code = z.string().min(1).max(200);

const openItemsQuery = z.strictObject({
  /** All when absent. */
  participant: z.union([code.transform((each) => [each]), z.array(code).max(MAX_PARTICIPANTS)]).optional(),
});

const recordQuery = z.strictObject({
  /** Bytes before the part. */
  offset: z.coerce.number().int().min(0).default(0),
});

/** What the archive API shows of this app, and requests of it. */
@Controller()
export class ManagementController {
  constructor(
    private readonly state: PollerStateReader,
    private readonly openItems: OpenItems,
    private readonly backfills: Backfills,
    private readonly records: FullRecords,
  ) {}

  @Get('state')
  @UseGuards(StatusGuard)
  readState(): Promise<PollerState> {
    return reportUnreadableRedis(() => this.state.read());
  }

  @Get('open-items')
  @UseGuards(StatusGuard)
  listOpenItems(@Query() query: unknown): Promise<OpenItemList> {
    const { participant } = parseRequest(openItemsQuery, query);
    return reportUnreadableRedis(() => this.openItems.list(participant));
  }

  @Get('backfills')
  @UseGuards(StatusGuard)
  async list(): Promise<{ readonly items: readonly BackfillState[] }> {
    return { items: await reportUnreadableRedis(() => this.backfills.list()) };
  }

  @Get('backfills/:participant')
  @UseGuards(StatusGuard)
  read(@Param('participant') participant: string): Promise<BackfillState> {
    return reportUnreadableRedis(() => this.backfills.read(participant));
  }

  @Get('backfills/:participant/events')
  @UseGuards(StatusGuard)
  listed(@Param('participant') participant: string, @Query() query: unknown): Promise<object> {
    const page = parseRequest(listedQuery, query);
    return reportUnreadableRedis(() => this.backfills.listed(participant, page));
  }

  /** The record has amounts of a participant, so the right `status` is not enough. */
  @Get('records/:sha256')
  @UseGuards(OperateGuard)
  readRecord(@Param('sha256') sha256: string, @Query() query: unknown): Promise<RecordPart> {
    const { offset } = parseRequest(recordQuery, query);
    return reportUnreadableRedis(() => this.records.read(sha256, offset));
  }

  @Post('backfills')
  @HttpCode(200)
  @UseGuards(OperateGuard)
  start(@Body() body: unknown): Promise<object> {
    const range = parseRequest(backfillBody, body);
    return reportUnreadableRedis(() => this.backfills.start(range));
  }

  @Post('backfills/:participant/cancel')
  @HttpCode(200)
  @UseGuards(OperateGuard)
  cancel(@Param('participant') participant: string): Promise<BackfillState> {
    return reportUnreadableRedis(() => this.backfills.cancel(participant));
  }
}
