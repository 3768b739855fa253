import { useId } from 'react';
import { CHOICES } from '../../api/operations.js';
import { useParticipants } from '../../api/participants.js';
import { Choices } from '../../ui/choices.js';
import { DAY_CHOICES, isDay, type MoneyFilters } from './money-filters.js';

interface FilterFormProps {
  readonly filters: MoneyFilters;
  /** The address as it is. */
  readonly search: Readonly<Record<string, string | undefined>>;
  readonly onChange: (values: Readonly<Record<string, string | undefined>>) => void;
}

/** The days, the participant and the market that the page shows. */
export function FilterForm({ filters, search, onChange }: FilterFormProps) {
  const { from, to, days: chosen, participant, market } = filters;
  const known = useParticipants();
  const participants =
    participant === undefined || known.includes(participant) ? known : [...known, participant];
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
      <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <DayField
          label="First day"
          value={from}
          onChange={(day) => onChange({ from: day, to, days: undefined })}
        />
        <DayField
          label="Last day"
          value={to}
          onChange={(day) => onChange({ from, to: day, days: undefined })}
        />
        <SelectField
          label="Participant"
          value={participant}
          values={participants}
          onChange={(value) => onChange({ participant: value })}
        />
        <SelectField
          label="Market"
          value={market}
          values={CHOICES['/v1/payments'].market}
          onChange={(value) => onChange({ market: value })}
        />
      </form>
    </div>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (day: string) => void;
}

function DayField({ label, value, onChange }: DayFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="date"
        required
        value={value}
        onChange={({ target }) => isDay(target.value) && onChange(target.value)}
      />
    </div>
  );
}

interface SelectFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly values: readonly string[];
  readonly onChange: (value: string | undefined) => void;
}

function SelectField({ label, value = '', values, onChange }: SelectFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value || undefined)}>
        <option value="">All</option>
        {values.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </div>
  );
}
