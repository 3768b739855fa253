import { CHOICES, type DeliveryRow } from '../../api/operations.js';
import { marketDayOf } from '../../format/market-time.js';
import { capitalize, shortType } from '../../format/names.js';
import { useCaller } from '../../session/caller.js';
import { FilterBar, SelectFilter, TextFilter, type Option } from '../../ui/filter-bar.js';
import { useFilters } from '../../ui/use-filters.js';
import { FILTER_NAMES, readFilters } from './delivery-query.js';

const STATES: readonly Option[] = [
  { value: '', label: 'All states' },
  { value: 'pending,parked', label: 'Not delivered yet' },
  ...CHOICES['/v1/deliveries'].state.map((value) => ({ value, label: capitalize(value) })),
];
const KINDS: readonly Option[] = [
  { value: '', label: 'All kinds' },
  ...CHOICES['/v1/deliveries'].kind.map((value) => ({ value, label: capitalize(value) })),
];

/** Needed less often. */
const MORE = ['since', 'until', 'event', 'problem'] as const;

/** @param rows whose sinks, types and participants are offered */
export function DeliveryFilters({ rows }: { readonly rows: readonly DeliveryRow[] }) {
  const [filters, change] = useFilters();
  const { faults, isFiltered } = readFilters(filters);
  const { participants = [] } = useCaller();
  const offer = (values: readonly string[]): readonly string[] => [...new Set(values)].toSorted();
  const clear = (): void => change(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])));
  const text = (name: (typeof FILTER_NAMES)[number], label: string, suggestions?: readonly string[]) => (
    <TextFilter
      label={label}
      value={filters[name]}
      onChange={(value) => change({ [name]: value })}
      {...(suggestions && { suggestions })}
    />
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
      isMoreUsed={MORE.some((name) => (filters[name] ?? '') !== '')}
      more={
        <>
          {day('since', 'Added since')}
          {day('until', 'Added before')}
          {text('event', 'Event id')}
          {text('problem', 'Problem id')}
        </>
      }
    >
      <SelectFilter
        label="State"
        options={STATES}
        value={filters['state']}
        onChange={(state) => change({ state })}
      />
      {text('sink', 'Sink', offer(rows.map(({ sink }) => sink)))}
      <SelectFilter
        label="Kind"
        options={KINDS}
        value={filters['kind']}
        onChange={(kind) => change({ kind })}
      />
      {text('type', 'Type of event', offer(rows.map(({ type }) => shortType(type))))}
      {text(
        'participant',
        'Participant',
        offer([...participants, ...rows.map(({ participant }) => participant)]),
      )}
    </FilterBar>
  );
}
