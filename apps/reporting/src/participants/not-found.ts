import { ProblemException } from '@ssb/platform';
import type { NotAskable, SettlementKey } from '../domain/settlement-question.js';

/** 404 for what cannot be there: the question itself is wrong, and the body says what is allowed. */
export function notAskable({ reason, parameter, detail }: NotAskable): ProblemException {
  return new ProblemException(404, 'Not found', detail, { reason, parameter });
}

/** 404 for a good question without an answer. */
export function nothingPublished(what: string, participant: string, key?: SettlementKey): ProblemException {
  const period = key && ` of ${key.marketService} ${key.designation} for the period from ${key.periodFrom}`;
  return new ProblemException(
    404,
    'Not found',
    `No ${what}${period ?? ''} was published for ${participant}.`,
    {
      reason: 'nothing-published',
    },
  );
}
