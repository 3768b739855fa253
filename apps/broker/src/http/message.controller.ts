import { Body, Controller, Get, HttpCode, Inject, Post, Query, UseGuards } from '@nestjs/common';
import type { BusMessage, PublishSuccess } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import { ReadMessages } from '../read-messages.js';
import { ReceiveMessage } from '../receive-message.js';
import { BearerGuard, Caller } from './bearer.guard.js';
import { parse } from './parse.js';
import { postedMessage, readQuery } from './requests.js';

@Controller('message')
@UseGuards(BearerGuard)
export class MessageController {
  constructor(
    @Inject(ReceiveMessage) private readonly intake: ReceiveMessage,
    @Inject(ReadMessages) private readonly reading: ReadMessages,
  ) {}

  @Post()
  @HttpCode(201)
  async post(@Caller() caller: Did, @Body() body: unknown): Promise<PublishSuccess> {
    return { id: await this.intake.receive(caller, parse(postedMessage, body)) };
  }

  @Get()
  read(@Caller() caller: Did, @Query() query: unknown): Promise<BusMessage[]> {
    const { from, ...rest } = parse(readQuery, query);
    return this.reading.read(caller, { ...rest, from });
  }
}
