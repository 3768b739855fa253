import { useEffect, useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Button } from './button.js';
import { Note } from './notes.js';
import { useIsNarrow } from './use-is-narrow.js';
import './filter-bar.css';

interface FilterBarProps {
  /** Sentences about filters of the address that were ignored. */
  readonly faults: readonly string[];
  /** Present while something is filtered. */
  readonly onClear?: (() => void) | undefined;
  readonly children: ReactNode;
  /** Filters that are needed less often. */
  readonly more?: ReactNode;
  /** Whether one of these is in use. */
  readonly isMoreUsed?: boolean;
}

/** The filters of a listing. On a narrow screen they are behind a button. */
export function FilterBar({ faults, onClear, children, more, isMoreUsed = false }: FilterBarProps) {
  const isNarrow = useIsNarrow();
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  return (
    <>
      <div className="filter-bar" role="search" aria-label="Filters">
        {isNarrow && (
          <div className="buttons">
            <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
              Filters{onClear && ', in use'}
            </Button>
            {onClear && <Button onClick={onClear}>Clear the filters</Button>}
          </div>
        )}
        <div id={id} hidden={isNarrow && !isOpen} className="filter-bar-fields">
          <div className="filters">
            {children}
            {onClear && !isNarrow && <Button onClick={onClear}>Clear the filters</Button>}
          </div>
          {more !== undefined && (
            <details open={isMoreUsed}>
              <summary>More filters</summary>
              <div className="filters">{more}</div>
            </details>
          )}
        </div>
      </div>
      {faults.map((fault) => (
        <Note key={fault} kind="warning">
          {fault}
        </Note>
      ))}
    </>
  );
}

interface FilterProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

interface SelectFilterProps extends FilterProps {
  /** The first one has the empty value: what is shown without the filter. */
  readonly options: readonly Option[];
}

export function SelectFilter({ label, value = '', onChange, options }: SelectFilterProps) {
  const id = useId();
  const isListed = options.some((option) => option.value === value);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {!isListed && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}

interface TextFilterProps extends FilterProps {
  readonly type?: 'text' | 'date';
  readonly placeholder?: string;
  /** Offered while the person types. */
  readonly suggestions?: readonly string[];
}

/** A text that applies when the person presses Enter or leaves the field. */
export function TextFilter(props: TextFilterProps) {
  const { label, value = '', onChange, type = 'text', placeholder, suggestions } = props;
  const id = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = (): void => {
    if (text.trim() !== value) onChange(text.trim());
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        className={value === '' ? 'empty-filter' : undefined}
        value={text}
        placeholder={placeholder}
        list={suggestions && `${id}-list`}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
        onKeyDown={(event: KeyboardEvent) => event.key === 'Enter' && apply()}
      />
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </div>
  );
}
