import type { QueryOf } from '../../api/api-client.js';
import { CHOICES } from '../../api/operations.js';
import {
  faultsOf,
  hasFilter,
  readChoices,
  type Filters,
  type ListingFilters,
} from '../../format/search-values.js';
import { KNOWN_REASONS } from './quarantine-reasons.js';

const { state: STATES } = CHOICES['/v1/quarantine'];

/** The filters in the address of the quarantine. */
export const FILTER_NAMES = ['state', 'reason', 'channel'] as const;

/** The messages that the address selects: without a state, the open ones. */
export function readQuarantineFilters(filters: Filters): ListingFilters<QueryOf<'/v1/quarantine'>> {
  const state = readChoices('state', filters['state'], STATES);
  const reason = readChoices('reason', filters['reason'], KNOWN_REASONS);
  const { channel = '' } = filters;
  return {
    query: {
      ...(state.value && { state: state.value }),
      ...(reason.value && { reason: reason.value }),
      ...(channel !== '' && { channel: [channel] }),
    },
    faults: faultsOf(state, reason),
    isFiltered: hasFilter(filters, FILTER_NAMES),
  };
}
