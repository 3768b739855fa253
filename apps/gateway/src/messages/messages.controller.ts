import type { ServerResponse } from 'node:http';
import { Body, Controller, Get, Head, Header, HttpCode, Post, Query, Res } from '@nestjs/common';
import {
  GAP_HEADER,
  MORE,
  MORE_HEADER,
  serialiseMessages,
  writeGapHeader,
  type SendMessageSuccess,
} from '@ssb/bus';
import { InvalidRequestError, type FailureReply } from '@ssb/platform';
import { methodNotAllowed } from '../http/gateway-exception.js';
import { readSendMessage } from '../events/events-request.js';
import { Gateway } from './message-sender.js';
import { Reading } from './message-reader.js';
import { ReadMessagesDto } from './read-messages.dto.js';

/** Sending and reading messages (document 002, `/api/v1/message`). */
@Controller('api/v1/message')
export class MessageController {
  constructor(
    private readonly gateway: Gateway,
    private readonly reading: Reading,
  ) {}

  @Post()
  @HttpCode(200)
  send(@Body() body: unknown): Promise<SendMessageSuccess> {
    const reading = readSendMessage(body);
    if (!reading.ok) throw new InvalidRequestError(reading.faults);
    return this.gateway.send(reading.value);
  }

  /** Fastify would answer HEAD by the GET below, which moves the position past messages that nobody got. */
  @Head()
  head(@Res({ passthrough: true }) reply: Pick<FailureReply, 'header'>): never {
    reply.header('allow', 'GET, POST');
    throw methodNotAllowed();
  }

  /** Written as text here: a message's nanoseconds are a number with more digits than a double has. */
  @Get()
  @Header('content-type', 'application/json; charset=utf-8')
  async read(
    @Query() query: ReadMessagesDto,
    @Res({ passthrough: true }) reply: Pick<FailureReply, 'header'> & RawReply,
  ): Promise<string> {
    const { messages, gap, more, settle } = await this.reading.read(query);
    try {
      if (gap) reply.header(GAP_HEADER, writeGapHeader(gap));
      if (more) reply.header(MORE_HEADER, MORE);
      const text = serialiseMessages(messages);
      whenAnswered(reply, settle);
      return text;
    } catch (error) {
      settle(false);
      throw error;
    }
  }
}

interface RawReply {
  readonly raw: Pick<ServerResponse, 'closed' | 'off' | 'once' | 'req'>;
}

/**
 * Tells once whether an answer has left whole: all of it was handed to the operating system. False when its connection ended before that,
 * and already when it has ended while the answer was made.
 */
export function whenAnswered({ raw }: RawReply, tell: (whole: boolean) => void): void {
  // An answer has no connection while one before it is under way there, nor once it is finished, and does not hear of its end then.
  const { socket } = raw.req;
  if (raw.closed || socket.destroyed) return tell(false);
  let whole = false;
  const settle = (): void => {
    raw.off('close', settle);
    socket.off('close', settle);
    tell(whole);
  };
  // Node says `finish`, and `writableFinished`, also when the last write has failed; its connection is destroyed then.
  raw.once('finish', () => (whole = !socket.destroyed));
  raw.once('close', settle);
  socket.once('close', settle);
}
