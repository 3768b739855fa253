import {
  type Publication,
  REQUEST_REASONS,
  nextRequestAt,
  dueFrom,
  publicationKey,
  reasonAt,
} from './publication.js';
import type { Schedule } from './schedule-settings.js';

/**
 * The publications to request now, the most urgent first: what is due and not there, what may come early, the re-checks, then what failed
 * and is not due. Among equals the least recently requested comes first.
 */
export function requestsDue<Of extends Publication>(
  publications: readonly Of[],
  schedule: Schedule,
  now: Date,
): readonly Of[] {
  return publications
    .flatMap((publication) => {
      const at = nextRequestAt(publication, schedule, now);
      return at === undefined || at > now.getTime() ? [] : [{ publication, urgency: urgencyOf(publication) }];
    })
    .sort((a, b) => compare(a.urgency, b.urgency))
    .map(({ publication }) => publication);

  function urgencyOf(publication: Publication): readonly (number | string)[] {
    const reason = reasonAt(publication, schedule, now);
    const isRetry = (publication.failures ?? 0) > 0 && reason !== 'due';
    return [
      isRetry ? 1 : 0,
      reason === undefined ? REQUEST_REASONS.length : REQUEST_REASONS.indexOf(reason),
      publication.lastRequestedAt?.getTime() ?? -Infinity,
      publication.resource === 'statement' ? 0 : 1,
      dueFrom(publication),
      publicationKey(publication),
    ];
  }
}

function compare(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  const index = a.findIndex((value, at) => value !== b[at]);
  if (index === -1) return 0;
  const [one = '', other = ''] = [a[index], b[index]];
  return one < other ? -1 : 1;
}
