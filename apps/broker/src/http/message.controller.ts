import { Body, Controller, Get, Head, HttpCode, Inject, Post, Query } from '@nestjs/common';
import type { BusMessage, PublishSuccess } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import { BusError } from '../bus-error.js';
import { ReadMessages } from '../read-messages.js';
import { ReceiveMessage } from '../receive-message.js';
import { Caller } from './bearer.js';
import { parse } from './parse.js';
import { postedMessage, readQuery } from './requests.js';

@Controller('message')
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

  /** Fastify would answer HEAD by the GET below, which moves the position past messages that nobody got. */
  @Head()
  head(): never {
    throw new BusError(
      'BUS::METHOD_NOT_ALLOWED',
      'Messages are read with GET; HEAD would move the position.',
    );
  }

  @Get()
  read(@Caller() caller: Did, @Query() query: unknown): Promise<BusMessage[]> {
    const { from, ...rest } = parse(readQuery, query);
    return this.reading.read(caller, { ...rest, from });
  }
}
