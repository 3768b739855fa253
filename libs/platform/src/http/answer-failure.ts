import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';

/** The part of a reply that answering a failure needs. */
export interface FailureReply {
  status(code: number): FailureReply;
  header(name: string, value: string): FailureReply;
  send(body: unknown): unknown;
}

/**
 * Writes what a caller may see of a failure, in the form that the app's interface document gives. It is called for whatever goes wrong
 * with a request: in a controller, in a guard, while the body is read, for an address that cannot be decoded, and for what is no readable
 * HTTP request. Only a reply of Fastify's has a `request`; where the head of one cannot be read there is none. Never throws.
 */
export type AnswerFailure = (error: unknown, reply: FailureReply) => void;

/** Lets the framework's exceptions take the same way as everything else. */
@Catch()
export class FailureFilter implements ExceptionFilter {
  constructor(private readonly answer: AnswerFailure) {}

  catch(error: unknown, host: ArgumentsHost): void {
    this.answer(error, host.switchToHttp().getResponse<FailureReply>());
  }
}
