import { ProblemException } from '@ssb/platform';
import type { ReasonOf } from '../domain/problem-reason.js';
import type { NotAskable } from '../domain/question-fault.js';
import { WindowTooLargeError } from '../records/window-bound.js';

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
