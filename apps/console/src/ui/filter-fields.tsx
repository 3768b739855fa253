import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useId, useState, type ReactNode } from 'react';
import type { Filters } from '../router.js';

/** The filters of the address, and a function that changes some of them. An undefined or empty one is removed. */
export function useFilters(): readonly [Filters, (changes: Filters) => void] {
  const filters: Filters = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (changes: Filters): void => {
    const search = Object.fromEntries(
      Object.entries({ ...filters, ...changes }).filter(([, value]) => value !== undefined && value !== ''),
    );
    void navigate({ to: '.', search, resetScroll: false });
  };
  return [filters, change];
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function ChoiceField({
  label,
  value,
  onChange,
  choices,
  children,
}: FieldProps & { readonly choices: readonly Choice[]; readonly children?: ReactNode }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
        {children}
      </select>
    </div>
  );
}

/** A text or a day. It applies when the person leaves the field or presses Enter. */
export function TextField({
  label,
  value,
  onChange,
  type = 'search',
}: FieldProps & { readonly type?: 'search' | 'date' }) {
  const id = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = (): void => {
    if (text !== value) onChange(text.trim());
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
        onKeyDown={(event) => {
          if (event.key === 'Enter') apply();
        }}
      />
    </div>
  );
}
