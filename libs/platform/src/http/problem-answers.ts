import type { Logger } from '../logging/logger.js';
import type { AnswerFailure } from './answer-failure.js';
import { describeFailure } from './describe-failure.js';

/** Answers every failure with problem+json (RFC 9457); our own faults are logged, never shown. */
export function problemAnswers(log: Logger): AnswerFailure {
  return (error, reply) => {
    const { status, title, detail, extensions, expected } = describeFailure(error);
    if (!expected) log.error({ err: error }, 'request failed');
    reply
      .status(status)
      .header('content-type', 'application/problem+json')
      .send(JSON.stringify({ type: 'about:blank', title, status, detail, ...extensions }));
  };
}
