import { Body, Controller, Get, Head, HttpCode, Inject, Post, Query, Res } from '@nestjs/common';
import { GAP_HEADER, MORE_HEADER, MORE_HEADER_TRUE, writeGapHeader } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import type { HttpReply } from '@ssb/platform';
import { BusError } from '../errors/bus-error.js';
import { Caller } from '../identity/bearer-authentication.js';
import { AcknowledgeDto, ReadMessagesDto } from './message.dto.js';
import { ReadMessagesService } from './read-messages.service.js';
import { RESPONSE_FORMAT, type ResponseFormat } from './response-format.js';

/** Reads the messages of a channel over HTTP. */
@Controller()
export class ReadMessagesController {
  constructor(
    private readonly reader: ReadMessagesService,
    @Inject(RESPONSE_FORMAT) private readonly format: ResponseFormat,
  ) {}

  /** Without this route, Fastify handles HEAD with the GET handler, which moves the offset without sending the messages. */
  @Head('message')
  head(): never {
    throw new BusError('BUS::METHOD_NOT_ALLOWED', 'HEAD is not allowed for messages. Use GET.');
  }

  /** The body is an array of messages, so response headers report a gap and whether more messages exist. */
  @Get('message')
  async read(
    @Caller() caller: Did,
    @Query() { from, move, ...rest }: ReadMessagesDto,
    @Res({ passthrough: true }) reply: Pick<HttpReply, 'header'>,
  ): Promise<string> {
    const request = { ...rest, from, move: move === 'true' };
    const { messages, more, gap } = await this.reader.read(caller, request);
    if (gap) reply.header(GAP_HEADER, writeGapHeader(gap));
    if (more) reply.header(MORE_HEADER, MORE_HEADER_TRUE);
    const { contentType, text } = this.format.writeMessages(messages);
    reply.header('content-type', contentType);
    return text;
  }

  /** A gateway reads with `move=false` and acknowledges the messages that its client has received. */
  @Post('message/acknowledgement')
  @HttpCode(204)
  async acknowledge(@Caller() caller: Did, @Body() acknowledgement: AcknowledgeDto): Promise<void> {
    await this.reader.acknowledge(caller, acknowledgement);
  }
}
