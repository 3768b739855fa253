import { Body, Controller, Get, Head, HttpCode, Post, Query, Res } from '@nestjs/common';
import {
  GAP_HEADER,
  MORE,
  MORE_HEADER,
  writeGapHeader,
  type BusMessage,
  type PublishSuccess,
} from '@ssb/bus';
import type { Did } from '@ssb/identity';
import type { FailureReply } from '@ssb/platform';
import { BusError } from '../bus-error.js';
import { ReadMessages } from '../read-messages.js';
import { ReceiveMessage } from '../receive-message.js';
import { Caller } from './bearer.js';
import { AcknowledgeDto, ReadMessagesDto } from './message.dto.js';
import { readPostedMessage } from './read-posted-message.js';

@Controller('message')
export class MessageController {
  constructor(
    private readonly intake: ReceiveMessage,
    private readonly reading: ReadMessages,
  ) {}

  @Post()
  @HttpCode(201)
  async post(@Caller() caller: Did, @Body() body: unknown): Promise<PublishSuccess> {
    return { id: await this.intake.receive(caller, readPostedMessage(body)) };
  }

  /** Fastify would answer HEAD by the GET below, which moves the position past messages that nobody got. */
  @Head()
  head(): never {
    throw new BusError(
      'BUS::METHOD_NOT_ALLOWED',
      'Messages are read with GET; HEAD would move the position.',
    );
  }

  /** The answer is a list and has no place for a gap, nor for whether it is all: headers tell of these. */
  @Get()
  async read(
    @Caller() caller: Did,
    @Query() { from, move, ...rest }: ReadMessagesDto,
    @Res({ passthrough: true }) reply: Pick<FailureReply, 'header'>,
  ): Promise<readonly BusMessage[]> {
    const request = { ...rest, from, move: move === 'true' };
    const { messages, more, gap } = await this.reading.read(caller, request);
    if (gap) reply.header(GAP_HEADER, writeGapHeader(gap));
    if (more) reply.header(MORE_HEADER, MORE);
    return messages;
  }

  /** For a reader that passes messages on: it reads with `move=false`, and says by this what has reached its own client. */
  @Post('acknowledgement')
  @HttpCode(204)
  async acknowledge(@Caller() caller: Did, @Body() acknowledgement: AcknowledgeDto): Promise<void> {
    await this.reading.acknowledge(caller, acknowledgement);
  }
}
