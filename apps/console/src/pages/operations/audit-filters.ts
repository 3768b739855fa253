import type { QueryOf } from '../../api/api-client.js';
import {
  faultsOf,
  hasFilter,
  readChoices,
  readTime,
  type Filters,
  type ListingFilters,
} from '../../format/search-values.js';
import { KINDS } from './audited-actions.js';

/** The filters in the address of the log. */
export const FILTER_NAMES = ['kind', 'author', 'since'] as const;

/** The records that the address selects. */
export function readAuditFilters(filters: Filters): ListingFilters<QueryOf<'/v1/audit'>> {
  const kind = readChoices('action', filters['kind'], KINDS);
  const since = readTime('time', filters['since']);
  const { author = '' } = filters;
  return {
    query: {
      ...(kind.value && { kind: kind.value }),
      ...(author !== '' && { author: [author] }),
      ...(since.value !== undefined && { since: since.value }),
    },
    faults: faultsOf(kind, since),
    isFiltered: hasFilter(filters, FILTER_NAMES),
  };
}
