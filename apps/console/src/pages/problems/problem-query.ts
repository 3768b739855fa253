import { CHOICES } from '../../api/operations.js';
import type { QueryOf } from '../../api/api-client.js';
import {
  faultsOf,
  hasFilter,
  readChoices,
  readTime,
  splitList,
  type Filters,
  type ListingFilters,
} from '../../format/search-values.js';

const { state: STATES, kind: KINDS, severity: SEVERITIES } = CHOICES['/v1/problems'];

/** The filters in the address of the listing. */
export const FILTER_NAMES = ['state', 'kind', 'severity', 'participant', 'since'] as const;

/** The problems that the address selects. */
export function readSelection(filters: Filters): ListingFilters<QueryOf<'/v1/problems'>> {
  const state = readChoices('state', filters['state'], STATES);
  const kind = readChoices('kind', filters['kind'], KINDS);
  const severity = readChoices('severity', filters['severity'], SEVERITIES);
  const since = readTime('time', filters['since']);
  const participant = splitList(filters['participant']);
  return {
    query: {
      ...(state.value && { state: state.value }),
      ...(kind.value && { kind: kind.value }),
      ...(severity.value && { severity: severity.value }),
      ...(since.value !== undefined && { since: since.value }),
      ...(participant.length > 0 && { participant }),
    },
    faults: faultsOf(state, kind, severity, since),
    isFiltered: hasFilter(filters, FILTER_NAMES),
  };
}
