import type { QueryOf } from '../../api/api-client.js';
import { beginningOfDay, isDay } from '../../format/market-time.js';
import type { Filters } from '../../format/search-values.js';

/** Kinds of requests and actions that the API records. */
export const KINDS = [
  'acknowledge',
  'close',
  'silence',
  'end-silence',
  'rebuild-problems',
  'resend',
  'skip',
  'replay',
  'test',
  'enable-sink',
  'disable-sink',
  'recheck-quarantine',
  'retry-dead-letter',
  'retry-dead-letters',
  'remove-dead-letter',
  'start-backfill',
  'cancel-backfill',
] as const;

/** What the API accepts as a kind. */
const KIND = /^[a-z-]{1,64}$/;

type AuditQuery = Pick<QueryOf<'/v1/audit'>, 'kind' | 'author' | 'since'>;

/** The query of the filters of the address. Values that are not possible are ignored. */
export function readAuditQuery({ kind, author, since }: Filters): AuditQuery {
  return {
    ...(kind !== undefined && KIND.test(kind) && { kind: [kind] }),
    ...(author !== undefined && { author: [author] }),
    ...(isDay(since) && { since: beginningOfDay(since) }),
  };
}
