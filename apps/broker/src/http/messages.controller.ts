import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { messagesTogether, type MessageOutcome } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import { LOGGER, type Logger } from '@ssb/platform';
import { BusError } from '../bus-error.js';
import type { PostedMessage } from '../domain/accept.js';
import { ReceiveMessage } from '../receive-message.js';
import { Caller } from './bearer.js';
import { messageError } from './bus-answers.js';
import { parse } from './parse.js';
import { postedMessage } from './requests.js';

/** Messages that a gateway sends together; the contract that others know has one at a time, at `/message`. */
@Controller('messages')
export class MessagesController {
  constructor(
    @Inject(ReceiveMessage) private readonly intake: ReceiveMessage,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @Post()
  @HttpCode(200)
  async post(@Caller() caller: Did, @Body() body: unknown): Promise<MessageOutcome[]> {
    const read = parse(messagesTogether, body).map(readMessage);
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

  private errorOf(reason: unknown): BusError {
    const error = messageError(reason, this.log);
    if (error.status === 503) this.log.warn({ err: reason }, 'the engine could not serve a request');
    return error;
  }
}

function readMessage(value: unknown): PostedMessage | BusError {
  try {
    return parse(postedMessage, value);
  } catch (error) {
    if (error instanceof BusError) return error;
    throw error;
  }
}

function outcomeOf(error: BusError): MessageOutcome {
  return { status: error.status, ...error.body() };
}
