import type { QueryOf } from '../../api/api-client.js';
import { CHOICES } from '../../api/operations.js';
import {
  faultsOf,
  hasFilter,
  readChoices,
  readTime,
  splitList,
  type Filters,
  type ListingFilters,
} from '../../format/search-values.js';

const { state: STATES, kind: KINDS } = CHOICES['/v1/deliveries'];

/** The filters in the address of the listing. */
export const FILTER_NAMES = [
  'sink',
  'state',
  'kind',
  'type',
  'participant',
  'problem',
  'event',
  'since',
  'until',
] as const;

/** A whole id, or at least its first 6 characters. */
const ID = /^[0-9a-f][0-9a-f-]{5,35}$/i;

/** The deliveries that the address asks for. */
export function readFilters(filters: Filters): ListingFilters<QueryOf<'/v1/deliveries'>> {
  const state = readChoices('state', filters['state'], STATES);
  const kind = readChoices('kind', filters['kind'], KINDS);
  const since = readTime('time', filters['since']);
  const until = readTime('time', filters['until']);
  const sink = splitList(filters['sink']);
  const type = splitList(filters['type']);
  const participant = splitList(filters['participant']);
  const { problem = '', event = '' } = filters;
  const isId = ID.test(event);
  return {
    query: {
      ...(sink.length > 0 && { sink }),
      ...(state.value && { state: state.value }),
      ...(kind.value && { kind: kind.value }),
      ...(type.length > 0 && { type }),
      ...(participant.length > 0 && { participant }),
      ...(problem !== '' && { problem }),
      ...(isId && { event }),
      ...(since.value !== undefined && { since: since.value }),
      ...(until.value !== undefined && { until: until.value }),
    },
    faults: [
      ...faultsOf(state, kind, since, until),
      ...(event === '' || isId
        ? []
        : [`The event “${event}” is not an id and is ignored. Give at least its first 6 characters.`]),
    ],
    isFiltered: hasFilter(filters, FILTER_NAMES),
  };
}
