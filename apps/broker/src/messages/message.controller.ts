import { Body, Controller, Get, Head, HttpCode, Inject, Post, Query, Res } from '@nestjs/common';
import {
  GAP_HEADER,
  MORE,
  MORE_HEADER,
  MOST_MESSAGES_TOGETHER,
  readTextFields,
  writeGapHeader,
  type BusMessage,
  type MessageOutcome,
  type PublishRequest,
  type PublishSuccess,
  type TextRules,
} from '@ssb/bus';
import type { Did } from '@ssb/identity';
import { InvalidRequestError, LOGGER, type FailureReply, type Logger } from '@ssb/platform';
import { BusError } from '../errors/bus-error.js';
import { ReadMessages } from './read-messages.js';
import { ReceiveMessage } from './receive-message.js';
import { Caller } from '../identity/bearer-authentication.js';
import { messageError } from '../errors/error-responses.js';
import { AcknowledgeDto, MAX_NAME_LENGTH, ReadMessagesDto } from './message.dto.js';

@Controller()
export class MessageController {
  constructor(
    private readonly intake: ReceiveMessage,
    private readonly reading: ReadMessages,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @Post('message')
  @HttpCode(201)
  async post(@Caller() caller: Did, @Body() body: unknown): Promise<PublishSuccess> {
    return { id: await this.intake.receive(caller, readPostedMessage(body)) };
  }

  /** Messages that a gateway sends together; the contract that others know has one at a time. */
  @Post('messages')
  @HttpCode(200)
  async postTogether(@Caller() caller: Did, @Body() body: unknown): Promise<MessageOutcome[]> {
    const read = messagesOf(body).map((value) => this.readMessage(value));
    const readable = read.flatMap((each) => (each instanceof BusError ? [] : [each]));
    const received = await this.intake.receiveAll(caller, readable);
    let next = 0;
    const errors = new Map<unknown, BusError>();
    return read.map((each): MessageOutcome => {
      if (each instanceof BusError) return outcomeOf(each);
      const result = received[next++];
      if (result?.status === 'fulfilled') return { id: result.value };
      // An engine that is away fails many for one reason: it is logged once.
      const error = errors.get(result?.reason) ?? this.errorOf(result?.reason);
      errors.set(result?.reason, error);
      return outcomeOf(error);
    });
  }

  /** Fastify would answer HEAD by the GET below, which moves the position past messages that nobody got. */
  @Head('message')
  head(): never {
    throw new BusError(
      'BUS::METHOD_NOT_ALLOWED',
      'Messages are read with GET; HEAD would move the position.',
    );
  }

  /** The answer is a list and has no place for a gap, nor for whether it is all: headers tell of these. */
  @Get('message')
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
  @Post('message/acknowledgement')
  @HttpCode(204)
  async acknowledge(@Caller() caller: Did, @Body() acknowledgement: AcknowledgeDto): Promise<void> {
    await this.reading.acknowledge(caller, acknowledgement);
  }

  private readMessage(value: unknown): PublishRequest | BusError {
    try {
      return readPostedMessage(value);
    } catch (error) {
      return messageError(error, this.log);
    }
  }

  private errorOf(reason: unknown): BusError {
    const error = messageError(reason, this.log);
    if (error.status === 503) this.log.warn({ err: reason }, 'the engine could not serve a request');
    return error;
  }
}

/** Each message is read by itself, so that a malformed one spoils no other. @throws InvalidRequestError */
function messagesOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body) && body.length > 0 && body.length <= MOST_MESSAGES_TOGETHER) return body;
  const message = `The body must be a list of 1 to ${MOST_MESSAGES_TOGETHER} messages`;
  throw new InvalidRequestError([{ path: '', message }]);
}

function outcomeOf(error: BusError): MessageOutcome {
  return { status: error.status, ...error.body() };
}

/** The payload's own limit is the channel's, and answered with 422. */
const RULES: TextRules<PublishRequest> = {
  fqcn: { minLength: 1, maxLength: MAX_NAME_LENGTH },
  topic: { isOptional: true, minLength: 1, maxLength: MAX_NAME_LENGTH },
  payload: {},
  signature: { minLength: 1, maxLength: MAX_NAME_LENGTH },
  correlationId: { isOptional: true, minLength: 1, maxLength: MAX_NAME_LENGTH },
};

/** @throws InvalidRequestError */
function readPostedMessage(value: unknown): PublishRequest {
  const reading = readTextFields(value, RULES);
  if (reading.ok) return reading.value;
  throw new InvalidRequestError(reading.faults);
}
