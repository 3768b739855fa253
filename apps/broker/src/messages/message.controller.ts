import { Body, Controller, Headers, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { MAX_MESSAGES_PER_REQUEST, type MessageOutcome } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import { InvalidRequestError, LOGGER, type HttpReply, type Logger } from '@ssb/platform';
import type { BusError } from '../errors/bus-error.js';
import { toResponseError } from '../errors/error-responses.js';
import { Caller } from '../identity/bearer-authentication.js';
import { ReceiveMessageService, type PostedMessage } from './receive-message.service.js';
import { RESPONSE_FORMAT, type ResponseFormat } from './response-format.js';

/** Takes the messages that gateways post. */
@Controller()
export class MessageController {
  constructor(
    private readonly receiver: ReceiveMessageService,
    @Inject(RESPONSE_FORMAT) private readonly format: ResponseFormat,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @Post('message')
  @HttpCode(201)
  async post(
    @Caller() caller: Did,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: Pick<HttpReply, 'header'>,
    @Headers('traceparent') traceparent?: string,
  ): Promise<string> {
    const id = await this.receiver.receive(caller, { body, traceparent });
    const { contentType, text } = this.format.writePublished(id);
    reply.header('content-type', contentType);
    return text;
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

/** Checks only the array. Each message is parsed later, so that a malformed one fails alone. @throws InvalidRequestError */
function parseBatch(body: unknown): readonly unknown[] {
  if (Array.isArray(body) && body.length > 0 && body.length <= MAX_MESSAGES_PER_REQUEST) return body;
  const message = `The body must be a list of 1 to ${MAX_MESSAGES_PER_REQUEST} messages`;
  throw new InvalidRequestError([{ path: '', message }]);
}
