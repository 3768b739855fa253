import { Body, Controller, Get, Head, Headers, HttpCode, Inject, Post, Query, Res } from '@nestjs/common';
import {
  GAP_HEADER,
  MORE_HEADER_TRUE,
  MORE_HEADER,
  MAX_MESSAGES_PER_REQUEST,
  writeGapHeader,
  type MessageOutcome,
} from '@ssb/bus';
import type { Did } from '@ssb/identity';
import { InvalidRequestError, LOGGER, type HttpReply, type Logger } from '@ssb/platform';
import { BusError } from '../errors/bus-error.js';
import { toResponseError } from '../errors/error-responses.js';
import { Caller } from '../identity/bearer-authentication.js';
import { RESPONSE_FORMAT, type ResponseBody, type ResponseFormat } from './response-format.js';
import { AcknowledgeDto, ReadMessagesDto } from './message.dto.js';
import { ReadMessagesService } from './read-messages.service.js';
import { ReceiveMessageService, type PostedMessage } from './receive-message.service.js';

@Controller()
export class MessageController {
  constructor(
    private readonly receiver: ReceiveMessageService,
    private readonly reader: ReadMessagesService,
    @Inject(RESPONSE_FORMAT) private readonly format: ResponseFormat,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @Post('message')
  @HttpCode(201)
  async post(
    @Caller() caller: Did,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: HeaderReply,
    @Headers('traceparent') traceparent?: string,
  ): Promise<string> {
    const id = await this.receiver.receive(caller, { body, traceparent });
    return write(reply, this.format.writePublished(id));
  }

  /** Posts several messages in one request. Not in document 002: only the gateway of this project uses it. */
  @Post('messages')
  @HttpCode(200)
  async postBatch(@Caller() caller: Did, @Body() body: unknown): Promise<MessageOutcome[]> {
    const outcomes = await this.receiver.receiveAll(caller, parseBatch(body).map(toPosted));
    // An unavailable storage engine fails many messages with the same error object, which is logged once.
    const errors = new Map<unknown, BusError>();
    return outcomes.map((outcome) => {
      if (outcome.status === 'fulfilled') return { id: outcome.value };
      const error = errors.get(outcome.reason) ?? this.toError(outcome.reason);
      errors.set(outcome.reason, error);
      return { status: error.status, ...error.body() };
    });
  }

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
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<string> {
    const request = { ...rest, from, move: move === 'true' };
    const { messages, more, gap } = await this.reader.read(caller, request);
    if (gap) reply.header(GAP_HEADER, writeGapHeader(gap));
    if (more) reply.header(MORE_HEADER, MORE_HEADER_TRUE);
    return write(reply, this.format.writeMessages(messages));
  }

  /** A gateway reads with `move=false` and acknowledges the messages that its client has received. */
  @Post('message/acknowledgement')
  @HttpCode(204)
  async acknowledge(@Caller() caller: Did, @Body() acknowledgement: AcknowledgeDto): Promise<void> {
    await this.reader.acknowledge(caller, acknowledgement);
  }

  private toError(reason: unknown): BusError {
    const error = toResponseError(reason, this.log);
    if (error.status === 503) this.log.warn({ err: reason }, 'storage engine unavailable');
    return error;
  }
}

/** Each message of a batch has its own trace context. */
function toPosted(body: unknown): PostedMessage {
  const isTraced = typeof body === 'object' && body !== null && 'traceparent' in body;
  return { body, traceparent: isTraced ? body.traceparent : undefined };
}

type HeaderReply = Pick<HttpReply, 'header'>;

/** @returns the text, which Nest sends as it is */
function write(reply: HeaderReply, { contentType, text }: ResponseBody): string {
  reply.header('content-type', contentType);
  return text;
}

/** Checks only the array. Each message is parsed later, so that a malformed one fails alone. @throws InvalidRequestError */
function parseBatch(body: unknown): readonly unknown[] {
  if (Array.isArray(body) && body.length > 0 && body.length <= MAX_MESSAGES_PER_REQUEST) return body;
  const message = `The body must be a list of 1 to ${MAX_MESSAGES_PER_REQUEST} messages`;
  throw new InvalidRequestError([{ path: '', message }]);
}
