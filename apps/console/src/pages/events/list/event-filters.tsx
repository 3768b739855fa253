import { useId, type KeyboardEvent, type RefObject, type SubmitEvent } from 'react';
import { SHORT_TYPES } from '../../../format/event-type.js';
import { splitList } from '../../../format/search-values.js';
import { useCaller } from '../../../session/caller.js';
import { Button } from '../../../ui/button.js';
import type { EventFilter } from './event-filter.js';
import { QUICK_FILTERS } from './quick-filters.js';
import { SeverityField } from './severity-field.js';

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
  const isOpen = Boolean(participants.length || since || until || (types.length && !isQuick(types)));
  // Fields have what the address has, also after a step back.
  const key = JSON.stringify(filter);
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
        key={key}
        className="events-form"
        onSubmit={(event) => onChange(readForm(event, filter))}
        onBlur={(event) => {
          if (hasChanged(event.target)) event.currentTarget.requestSubmit();
        }}
      >
        <div className="filters">
          <Field label="Subject begins with" name="subject" value={filter.subject} input={search} />
          <SeverityField
            value={filter.severities}
            onChange={(severities) => onChange({ ...filter, severities })}
          />
          {types.length === 0 && (
            <label className="events-check">
              <input
                type="checkbox"
                checked={filter.calculations}
                onChange={({ target }) => onChange({ ...filter, calculations: target.checked })}
              />
              Calculations
            </label>
          )}
        </div>
        <details open={isOpen}>
          <summary>More filters</summary>
          <div className="filters">
            <Field label="Type or pattern" name="type" value={types.join(', ')} options={SHORT_TYPES} />
            <ParticipantField value={participants} />
            <Field label="From (market day)" name="since" value={since} type="date" />
            <Field label="To (market day)" name="until" value={until} type="date" />
          </div>
        </details>
        <button type="submit" hidden />
      </form>
    </div>
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly type?: 'date';
  readonly options?: readonly string[] | undefined;
  readonly input?: RefObject<HTMLInputElement | null>;
}

function Field({ label, name, value, type, options, input }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        ref={input}
        name={name}
        type={type ?? 'search'}
        defaultValue={value}
        autoComplete="off"
        list={options && `${id}-options`}
      />
      {options && (
        <datalist id={`${id}-options`}>
          {options.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </div>
  );
}

function ParticipantField({ value }: { readonly value: readonly string[] }) {
  const { participants } = useCaller();
  return <Field label="Participant" name="participant" value={value.join(', ')} options={participants} />;
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
