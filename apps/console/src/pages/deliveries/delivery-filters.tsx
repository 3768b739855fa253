import { useParticipants } from '../../api/participants.js';
import { useWholeListing } from '../../api/whole-listing.js';
import { describeType, SHORT_TYPES } from '../../format/event-type.js';
import { CHOICES, type DeliveryRow } from '../../api/operations.js';
import { marketDayOf } from '../../format/market-time.js';
import { capitalize } from '../../format/names.js';
import { hasFilter, withoutFilters } from '../../format/search-values.js';
import { useCaller } from '../../session/caller.js';
import { FilterBar, SelectFilter, TextFilter, type Option } from '../../ui/filter-bar.js';
import { useFilters } from '../../ui/use-filters.js';
import { FILTER_NAMES, readFilters } from './delivery-query.js';

const STATE_NAMES: Readonly<Record<string, string>> = {
  parked: 'Parked: refused by the sink',
  pending: 'Pending or failing',
};
const STATES: readonly Option[] = [
  { value: '', label: 'All states' },
  { value: 'pending,parked', label: 'Not delivered yet' },
  ...CHOICES['/v1/deliveries'].state.map((value) => ({
    value,
    label: STATE_NAMES[value] ?? capitalize(value),
  })),
];
const KINDS: readonly Option[] = [
  { value: '', label: 'All kinds' },
  ...CHOICES['/v1/deliveries'].kind.map((value) => ({ value, label: capitalize(value) })),
];

const TYPES: readonly Option[] = [
  { value: '', label: 'All events' },
  ...SHORT_TYPES.map((value) => ({ value, label: describeType(value) })),
];

const optionsOf = (all: string, values: readonly string[]): readonly Option[] => [
  { value: '', label: all },
  ...[...new Set(values)].toSorted().map((value) => ({ value, label: value })),
];

/** Needed less often. */
const MORE = ['since', 'until', 'event', 'problem'] as const;

/** @param rows whose sinks are offered when the person may not list the sinks */
export function DeliveryFilters({ rows }: { readonly rows: readonly DeliveryRow[] }) {
  const [filters, change] = useFilters();
  const { faults, isFiltered } = readFilters(filters);
  const { allParticipants } = useCaller();
  const participants = useParticipants();
  const { data: sinks } = useWholeListing('/v1/sinks', { enabled: allParticipants });
  // Only people of all participants may list the sinks.
  const names = sinks?.rows.map(({ name }) => name) ?? rows.map(({ sink }) => sink);
  const clear = (): void => change(withoutFilters(FILTER_NAMES));
  const select = (name: (typeof FILTER_NAMES)[number], label: string, options: readonly Option[]) => (
    <SelectFilter
      label={label}
      options={options}
      value={filters[name]}
      onChange={(value) => change({ [name]: value })}
    />
  );
  const text = (name: (typeof FILTER_NAMES)[number], label: string) => (
    <TextFilter label={label} value={filters[name]} onChange={(value) => change({ [name]: value })} />
  );
  const day = (name: 'since' | 'until', label: string) => (
    <TextFilter
      label={label}
      type="date"
      value={marketDayOf(filters[name] ?? '')}
      onChange={(value) => change({ [name]: value })}
    />
  );
  return (
    <FilterBar
      faults={faults}
      onClear={isFiltered ? clear : undefined}
      isMoreUsed={hasFilter(filters, MORE)}
      more={
        <>
          {day('since', 'Added since')}
          {day('until', 'Added before')}
          {text('event', 'Event id')}
          {text('problem', 'Problem id')}
        </>
      }
    >
      {select('state', 'State', STATES)}
      {select('sink', 'Sink', optionsOf('All sinks', names))}
      {select('kind', 'Kind', KINDS)}
      {select('type', 'About', TYPES)}
      {select('participant', 'Participant', optionsOf('All participants', participants))}
    </FilterBar>
  );
}
