import { Body, Controller, Get, Head, Header, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import {
  GAP_HEADER,
  MORE_HEADER_TRUE,
  MORE_HEADER,
  serialiseMessages,
  writeGapHeader,
  type SendMessageSuccess,
} from '@ssb/bus';
import { InvalidRequestError, type HttpReply } from '@ssb/platform';
import { methodNotAllowed } from '../http/gateway-exception.js';
import { MessageReader } from './message-reader.js';
import { MessageSender } from './message-sender.js';
import { parseSendMessage } from './parse-send-message.js';
import { ReadMessagesDto } from './read-messages.dto.js';
import { watchResponseEnd, type RawReply } from './response-end.js';

/** Sending and reading messages (document 002, `/api/v1/message`). */
@Controller('api/v1/message')
export class MessageController {
  constructor(
    private readonly sender: MessageSender,
    private readonly reader: MessageReader,
  ) {}

  @Post()
  @HttpCode(200)
  send(
    @Body() body: unknown,
    @Headers('traceparent') traceparent: string | undefined,
  ): Promise<SendMessageSuccess> {
    const message = parseSendMessage(body);
    if (!message.ok) throw new InvalidRequestError(message.faults);
    return this.sender.send(message.value, traceparent);
  }

  /** Without this route, Fastify handles HEAD with the GET handler, which acknowledges messages that are not sent. */
  @Head()
  head(@Res({ passthrough: true }) reply: Pick<HttpReply, 'header'>): never {
    reply.header('allow', 'GET, POST');
    throw methodNotAllowed();
  }

  /** Serialised here, because `timestampNanos` has more digits than a double can represent. */
  @Get()
  @Header('content-type', 'application/json; charset=utf-8')
  async read(
    @Query() query: ReadMessagesDto,
    @Res({ passthrough: true }) reply: Pick<HttpReply, 'header'> & RawReply,
  ): Promise<string> {
    const { messages, gap, more, onResponseEnd } = await this.reader.read(query);
    try {
      if (gap) reply.header(GAP_HEADER, writeGapHeader(gap));
      if (more) reply.header(MORE_HEADER, MORE_HEADER_TRUE);
      const text = serialiseMessages(messages);
      watchResponseEnd(reply, onResponseEnd);
      return text;
    } catch (error) {
      onResponseEnd(false);
      throw error;
    }
  }
}
