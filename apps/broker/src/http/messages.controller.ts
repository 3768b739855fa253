import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { MOST_MESSAGES_TOGETHER, type MessageOutcome } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import { InvalidRequestError, LOGGER, type Logger } from '@ssb/platform';
import { BusError } from '../bus-error.js';
import type { PostedMessage } from '../domain/accept.js';
import { ReceiveMessage } from '../receive-message.js';
import { Caller } from './bearer.js';
import { messageError } from './bus-answers.js';
import { readPostedMessage } from './read-posted-message.js';

/** Messages that a gateway sends together; the contract that others know has one at a time, at `/message`. */
@Controller('messages')
export class MessagesController {
  constructor(
    private readonly intake: ReceiveMessage,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @Post()
  @HttpCode(200)
  async post(@Caller() caller: Did, @Body() body: unknown): Promise<MessageOutcome[]> {
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

  private readMessage(value: unknown): PostedMessage | BusError {
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
