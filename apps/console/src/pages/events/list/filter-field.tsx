import { useEffect, useId, useRef, type RefObject } from 'react';
import type { EventFilter } from './event-filter.js';

interface FilterFieldProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  /** The filter of which the value is a part. */
  readonly filter: EventFilter;
  readonly type?: 'date';
  readonly options?: readonly string[] | undefined;
  readonly input?: RefObject<HTMLInputElement | null>;
  /** Id of a sentence about the field. */
  readonly hint?: string;
}

/** A field that has what the address has, also after a step back. What a person is typing stays. */
export function FilterField({ label, name, value, filter, type, options, input, hint }: FilterFieldProps) {
  const id = useId();
  const own = useRef<HTMLInputElement>(null);
  const field = input ?? own;
  const last = useRef(value);
  useEffect(() => {
    const { current } = field;
    const isTyping = document.activeElement === current && last.current === value;
    if (current !== null && !isTyping) current.value = value;
    last.current = value;
  }, [field, filter, value]);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        ref={field}
        name={name}
        type={type ?? 'search'}
        defaultValue={value}
        autoComplete="off"
        list={options && `${id}-options`}
        aria-describedby={hint}
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
