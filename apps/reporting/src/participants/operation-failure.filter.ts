import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { LOGGER, ProblemException, type ErrorResponder, type Logger } from '@ssb/platform';
import { failures } from '../failures.js';
import type { ParticipantRequest } from './access.guard.js';
import { OperationMetrics } from './operation-metrics.js';

/** Counts the failures of an operation and responds to them. The access guard counts its own refusals. */
@Catch()
export class OperationFailureFilter implements ExceptionFilter {
  private readonly respond: ErrorResponder;

  constructor(
    private readonly metrics: OperationMetrics,
    @Inject(LOGGER) log: Logger,
  ) {
    this.respond = failures(log);
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const { operation } = http.getRequest<ParticipantRequest>();
    if (operation !== undefined)
      this.metrics.count(operation, error instanceof ProblemException ? 'not-found' : 'failed');
    this.respond(error, http.getResponse());
  }
}
