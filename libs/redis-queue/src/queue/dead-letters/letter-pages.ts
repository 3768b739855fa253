import { toPrintable } from '@ssb/net';
import { InvalidRequestError } from '@ssb/platform';
import { z } from 'zod';
import type { DeadLetter } from './dead-letter.js';

const MAX_PAGE_SIZE = 100;
const MAX_ID_LENGTH = 255;
/** Anything may be in the fields of an unverified event. */
const MAX_FIELD_LENGTH = 300;
const MAX_REASON_LENGTH = 2_000;

/** Which page of the dead letters a request asks for. */
export const letterPageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(MAX_PAGE_SIZE),
  /** `next` of the page before. */
  cursor: z.string().min(1).max(MAX_ID_LENGTH).optional(),
});

/** How one dead letter is retried. */
export const letterRetryBody = z.strictObject({
  /** Accepts a dead letter without a valid HMAC. */
  unverified: z.boolean().default(false),
});

/** A dead letter without its event. */
export interface DeadLetterSummary extends Pick<DeadLetter, 'id' | 'verified' | 'reason' | 'deadLetteredAt'> {
  readonly type?: string;
  readonly participant?: string;
  readonly subject?: string;
  readonly cause?: NonNullable<DeadLetter['cause']>;
  readonly retriedAt?: string;
}

export function describeLetter(letter: DeadLetter): DeadLetterSummary {
  const { id, verified, event, reason, cause, deadLetteredAt, retriedAt } = letter;
  const fields = { type: event.type, participant: event.participant, subject: event.subject };
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, toPrintable(value, MAX_FIELD_LENGTH)]] : [],
  );
  return {
    id,
    verified,
    ...(Object.fromEntries(texts) as Pick<DeadLetterSummary, 'type' | 'participant' | 'subject'>),
    reason: toPrintable(reason, MAX_REASON_LENGTH),
    ...(cause !== undefined && { cause }),
    deadLetteredAt,
    ...(retriedAt !== undefined && { retriedAt }),
  };
}

/**
 * The ids of one page. The cursor is the first id of the page, because a dead letter leaves the list once it is published.
 * @throws InvalidRequestError when the dead letter of the cursor has left the list
 */
export function pageOfLetters(
  ids: readonly string[],
  { limit, cursor }: z.output<typeof letterPageQuery>,
): { readonly ids: readonly string[]; readonly next?: string } {
  const start = cursor === undefined ? 0 : ids.indexOf(cursor);
  if (start < 0)
    throw new InvalidRequestError([
      { path: 'cursor', message: 'cursor: its dead letter has left the list; begin with the first page' },
    ]);
  const next = ids[start + limit];
  return { ids: ids.slice(start, start + limit), ...(next !== undefined && { next }) };
}
