import { useEffect, useId, useState, type KeyboardEvent, type RefObject, type SubmitEvent } from 'react';
import { CHOICES } from '../../../api/operations.js';
import { SHORT_TYPES } from '../../../format/event-type.js';
import { splitList } from '../../../format/search-values.js';
import { useCaller } from '../../../session/caller.js';
import { Button } from '../../../ui/button.js';
import { SelectFilter, type Option } from '../../../ui/filter-bar.js';
import { SUBJECT_EXAMPLE, type EventFilter } from './event-filter.js';
import { FilterField } from './filter-field.js';
import { QUICK_FILTERS } from './quick-filters.js';

const SEVERITIES: readonly Option[] = [
  { value: '', label: 'Any' },
  { value: 'warning,critical', label: 'Warning and critical' },
  ...CHOICES['/v1/events'].severity.map((value) => ({ value, label: `Only ${value}` })),
];

interface EventFiltersProps {
  readonly filter: EventFilter;
  readonly onChange: (filter: EventFilter) => void;
  readonly search: RefObject<HTMLInputElement | null>;
  /** Leaves a field. */
  readonly onLeave: () => void;
}

/** What the list has; the address of the page says the same. */
export function EventFilters({ filter, onChange, search, onLeave }: EventFiltersProps) {
  const { types, participants, since, until } = filter;
  const isMoreUsed = Boolean(participants.length || since || until || (types.length && !isQuick(types)));
  const [isOpen, setIsOpen] = useState(isMoreUsed);
  useEffect(() => {
    if (isMoreUsed) setIsOpen(true);
  }, [isMoreUsed]);
  const caller = useCaller();
  const hint = useId();
  return (
    <div className="events-filters" onKeyDown={leaveOnEscape(onLeave)}>
      <div className="events-quick" role="group" aria-label="What happened">
        {QUICK_FILTERS.map((each) => (
          <Button
            key={each.label}
            aria-pressed={each.types.join() === types.join()}
            onClick={() => onChange({ ...filter, types: each.types })}
          >
            {each.label}
          </Button>
        ))}
      </div>
      <form
        className="events-form"
        onSubmit={(event) => onChange(readForm(event, filter))}
        onBlur={(event) => {
          if (hasChanged(event.target)) event.currentTarget.requestSubmit();
        }}
      >
        <div className="filters">
          <FilterField
            label="Subject begins with"
            name="subject"
            value={filter.subject}
            filter={filter}
            input={search}
            hint={hint}
          />
          <SelectFilter
            label="Severity"
            value={filter.severities.join(',')}
            options={SEVERITIES}
            onChange={(severities) =>
              onChange({ ...filter, severities: splitList(severities) as EventFilter['severities'] })
            }
          />
          {types.length === 0 && (
            <label className="events-check">
              <input
                type="checkbox"
                checked={filter.calculations}
                onChange={({ target }) => onChange({ ...filter, calculations: target.checked })}
              />
              Show calculations
            </label>
          )}
        </div>
        <p id={hint} className="hint">
          A subject begins with the participant, such as <code>{SUBJECT_EXAMPLE}</code> of a settlement run.
        </p>
        <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
          <summary>More filters</summary>
          <div className="filters">
            <FilterField
              label="Type or pattern"
              name="type"
              value={types.join(', ')}
              filter={filter}
              options={SHORT_TYPES}
            />
            <FilterField
              label="Participant"
              name="participant"
              value={participants.join(', ')}
              filter={filter}
              options={caller.participants}
            />
            <FilterField label="From (market day)" name="since" value={since} filter={filter} type="date" />
            <FilterField label="To (market day)" name="until" value={until} filter={filter} type="date" />
          </div>
        </details>
        <button type="submit" hidden />
      </form>
    </div>
  );
}

function readForm(event: SubmitEvent<HTMLFormElement>, filter: EventFilter): EventFilter {
  event.preventDefault();
  const form = new FormData(event.currentTarget);
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  return {
    ...filter,
    subject: text('subject'),
    types: splitList(text('type')),
    participants: splitList(text('participant')),
    since: text('since'),
    until: text('until'),
  };
}

const hasChanged = (target: EventTarget): boolean =>
  target instanceof HTMLInputElement && target.name !== '' && target.value !== target.defaultValue;

const isQuick = (types: readonly string[]): boolean =>
  QUICK_FILTERS.some((each) => each.types.join() === types.join());

const leaveOnEscape =
  (onLeave: () => void) =>
  (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    // What was typed is not applied.
    if (event.target instanceof HTMLInputElement) event.target.value = event.target.defaultValue;
    onLeave();
  };
