import { CHOICES } from '../../api/operations.js';
import { useParticipants } from '../../api/participants.js';
import type { Filters } from '../../format/search-values.js';
import { Choices } from '../../ui/choices.js';
import { FilterBar, SelectFilter, TextFilter, type Option } from '../../ui/filter-bar.js';
import { DAY_CHOICES, type MoneyFilters } from './money-filters.js';

interface FilterFormProps {
  readonly filters: MoneyFilters;
  /** The address as it is. */
  readonly search: Filters;
  readonly onChange: (values: Filters) => void;
}

/** The days, the participant and the market that the page shows. */
export function FilterForm({ filters, search, onChange }: FilterFormProps) {
  const { from, to, days: chosen, participant, market, faults } = filters;
  const participants = useParticipants();
  const isNarrowed = participant !== undefined || market !== undefined;
  return (
    <div className="stack">
      <Choices
        label="Days"
        choices={DAY_CHOICES.map(({ days, label }) => ({
          label,
          isChosen: days === chosen,
          search: { ...search, from: undefined, to: undefined, day: undefined, days: String(days) },
        }))}
      />
      <FilterBar
        faults={faults}
        onClear={isNarrowed ? () => onChange({ participant: undefined, market: undefined }) : undefined}
      >
        <TextFilter
          label="First day"
          type="date"
          value={from}
          onChange={(day) => onChange({ from: day, to, days: undefined })}
        />
        <TextFilter
          label="Last day"
          type="date"
          value={to}
          onChange={(day) => onChange({ from, to: day, days: undefined })}
        />
        <SelectFilter
          label="Participant"
          options={toOptions(participants)}
          value={participant}
          onChange={(value) => onChange({ participant: value })}
        />
        <SelectFilter
          label="Market"
          options={toOptions(CHOICES['/v1/payments'].market)}
          value={market}
          onChange={(value) => onChange({ market: value })}
        />
      </FilterBar>
    </div>
  );
}

const toOptions = (values: readonly string[]): readonly Option[] => [
  { value: '', label: 'All' },
  ...values.map((value) => ({ value, label: value })),
];
