import { ProblemException } from '@ssb/platform';
import { answerWith } from './answer-with.js';
import type { Before, Hit } from './spoil.js';

/** 500 or 503, as a failing service answers. */
export function failing({ one, reply, claim }: Hit<'error'>): Before {
  if (!claim()) return 'goes-on';
  const { status, retryAfterSeconds } = one.trouble;
  const title = status === 503 ? 'Service unavailable' : 'Internal error';
  const detail = `Trouble ${one.id} is switched on at the operator's door.`;
  answerWith(reply, new ProblemException(status, title, detail), retryAfterSeconds);
  return 'answered';
}
