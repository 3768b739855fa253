import type { ProblemException } from '@ssb/platform';
import type { FastifyReply } from 'fastify';

/** Answers with a problem (RFC 9457) on purpose: nothing failed, so nothing is logged as a failure. */
export function answerWith(reply: FastifyReply, problem: ProblemException, retryAfterSeconds?: number): void {
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
  void reply
    .status(problem.status)
    .header('content-type', 'application/problem+json')
    .send(JSON.stringify(problem.body()));
}
