import { useParticipants } from '../../api/participants.js';
import { CHOICES } from '../../api/operations.js';
import { marketDayOf } from '../../format/market-time.js';
import { capitalize } from '../../format/names.js';
import { withoutFilters } from '../../format/search-values.js';
import { FilterBar, SelectFilter, TextFilter, type Option } from '../../ui/filter-bar.js';
import { useFilters } from '../../ui/use-filters.js';
import { FILTER_NAMES, readSelection } from './problem-query.js';
import { KIND_NAMES } from './problem-titles.js';

const STATES: readonly Option[] = [
  { value: '', label: 'Not ended' },
  { value: 'open', label: 'Open' },
  { value: 'acknowledged', label: 'Acknowledged' },
  { value: 'resolved,closed', label: 'Ended' },
  { value: 'resolved', label: 'Resolved by an event' },
  { value: 'closed', label: 'Closed by a person' },
  { value: 'open,acknowledged,resolved,closed', label: 'All' },
];
const KINDS: readonly Option[] = [
  { value: '', label: 'All kinds' },
  ...CHOICES['/v1/problems'].kind.map((value) => ({ value, label: KIND_NAMES[value] })),
];
const SEVERITIES: readonly Option[] = [
  { value: '', label: 'All severities' },
  ...CHOICES['/v1/problems'].severity.map((value) => ({ value, label: capitalize(value) })),
];

/** Of the listing of problems. */
export function ProblemFilters() {
  const [filters, change] = useFilters();
  const { faults, isFiltered } = readSelection(filters);
  const participants = useParticipants();
  const clear = (): void => change(withoutFilters(FILTER_NAMES));
  return (
    <FilterBar faults={faults} onClear={isFiltered ? clear : undefined}>
      <SelectFilter
        label="State"
        options={STATES}
        value={filters['state']}
        onChange={(state) => change({ state })}
      />
      <SelectFilter
        label="Kind"
        options={KINDS}
        value={filters['kind']}
        onChange={(kind) => change({ kind })}
      />
      <SelectFilter
        label="Severity"
        options={SEVERITIES}
        value={filters['severity']}
        onChange={(severity) => change({ severity })}
      />
      <SelectFilter
        label="Participant"
        value={filters['participant']}
        options={[
          { value: '', label: 'All participants' },
          ...participants.map((value) => ({ value, label: value })),
        ]}
        onChange={(participant) => change({ participant })}
      />
      <TextFilter
        label="Opened since"
        type="date"
        value={marketDayOf(filters['since'] ?? '')}
        onChange={(since) => change({ since })}
      />
    </FilterBar>
  );
}
