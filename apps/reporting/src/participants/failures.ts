import { problemAnswers, type AnswerFailure, type Logger } from '@ssb/platform';
import { noSuchAddress } from './not-found.js';

/** What Fastify says of an address that cannot be decoded, or has a part longer than any parameter can be. */
const ADDRESS_FAULTS: readonly unknown[] = ['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH'];

/** Failures as problem+json; an address that cannot be one is an address that is not there (docs/interfaces.md). */
export function failures(log: Logger): AnswerFailure {
  const answer = problemAnswers(log);
  return (error, reply) => answer(isAddressFault(error) ? noSuchAddress() : error, reply);
}

function isAddressFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ADDRESS_FAULTS.includes(error.code);
}
