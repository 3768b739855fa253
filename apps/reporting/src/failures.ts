import { DatabaseUnavailableError } from '@ssb/database';
import {
  InvalidRequestError,
  problemAnswers,
  ProblemException,
  type AnswerFailure,
  type Logger,
} from '@ssb/platform';
import type { ReasonOf } from './participants/problem-reasons.js';
import type { NotAskable } from './participants/parameters/invalid-parameter.js';
import { WindowTooLargeError } from './records/day-window-query.js';
import { TooManyFaultsError } from './faults/active-faults.js';

/** What Fastify says of an address that cannot be decoded, or has a part longer than any parameter can be. */
const ADDRESS_FAULTS: readonly unknown[] = ['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH'];

/** When to ask again after a 503 (RFC 9110 §10.2.3): what we wait for is back as soon as it answers once. */
const RETRY_AFTER_SECONDS = 2;

/**
 * Failures as problem+json at both ports; an address that cannot be one is an address that is not there (docs/interfaces.md), and
 * whatever may be better in a moment is a 503 with Retry-After.
 */
export function failures(log: Logger): AnswerFailure {
  const answer = problemAnswers(log);
  return (error, reply) => {
    const shown = shownFor(error);
    if (shown instanceof ProblemException && shown.status === 503)
      reply.header('retry-after', String(RETRY_AFTER_SECONDS));
    answer(shown, reply);
  };
}

function shownFor(error: unknown): unknown {
  if (isAddressFault(error)) return noSuchAddress();
  if (error instanceof InvalidRequestError) return invalidQuery(error);
  if (error instanceof TooManyFaultsError) return tooManyFaults(error);
  return error instanceof DatabaseUnavailableError ? recordsAway(error) : error;
}

function isAddressFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ADDRESS_FAULTS.includes(error.code);
}

/** The faults of a body are listed by operator/request-bodies.ts. */
function invalidQuery({ message, faults }: InvalidRequestError): ProblemException {
  return new ProblemException(400, 'Bad request', `${message}.`, { parameter: faults[0]?.path });
}

function tooManyFaults({ most }: TooManyFaultsError): ProblemException {
  const detail = `${most} faults are active, and no more are possible: clear one, or wait for an end.`;
  return new ProblemException(409, 'Conflict', detail);
}

function recordsAway(cause: DatabaseUnavailableError): ProblemException {
  const problem = new ProblemException(
    503,
    'Service unavailable',
    'The records cannot be reached at the moment: ask again later. A load may be sent again, too: what is in already stays as it is.',
    { reason: 'records-cannot-be-reached' satisfies ReasonOf<503> },
  );
  // For the log alone: it may name hosts.
  problem.cause = cause;
  return problem;
}

/** The value of an askable question. @throws ProblemException 404 for what cannot be there; the body says what is allowed */
export function askable<Question extends { ok: true }>(question: Question | NotAskable): Question {
  if (question.ok) return question;
  const { reason, parameter, detail } = question;
  throw new ProblemException(404, 'Not found', detail, { reason, parameter });
}

/** The answer to a good question. @throws ProblemException 404 when there is none */
export async function published<Document>(
  what: string,
  found: Promise<Document | undefined>,
): Promise<Document> {
  const document = await found;
  if (document !== undefined) return document;
  const reason: ReasonOf<404> = 'nothing-published';
  throw new ProblemException(404, 'Not found', `No ${what} was published for this participant.`, { reason });
}

/**
 * What there is between two days. @throws ProblemException 404 for more than what the market's own service sends (field notes: payloads up
 * to 10 MB)
 */
export async function ofWindow<Body>(found: Promise<Body>): Promise<Body> {
  return found.catch((error: unknown) => {
    throw error instanceof WindowTooLargeError ? answerTooLarge() : error;
  });
}

function answerTooLarge(): ProblemException {
  const reason: ReasonOf<404> = 'answer-too-large';
  const detail = 'What there is of these days is more than 10 MB of text: ask for fewer days at a time.';
  return new ProblemException(404, 'Not found', detail, { reason });
}

/** 404 for a path, or a method, that is no operation. */
export function noSuchAddress(): ProblemException {
  const reason: ReasonOf<404> = 'no-such-address';
  const detail =
    'Nothing has this address: participants ask by GET below /api/v2/, and /openapi.json describes what.';
  return new ProblemException(404, 'Not found', detail, { reason });
}
