import { useId, type ReactNode } from 'react';
import './choice-fields.css';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

interface RadioFieldProps<Value extends string> {
  readonly legend: string;
  readonly options: readonly Choice<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** One of a few choices. */
export function RadioField<Value extends string>(props: RadioFieldProps<Value>) {
  const { legend, options, value, onChange } = props;
  const name = useId();
  return (
    <fieldset className="choice-fields">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.value} className="choice-field">
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

interface CheckFieldProps<Value extends string> {
  readonly legend: string;
  readonly hint?: ReactNode;
  readonly options: readonly Choice<Value>[];
  readonly values: readonly Value[];
  readonly onChange: (values: readonly Value[]) => void;
}

/** Any number of choices. */
export function CheckField<Value extends string>(props: CheckFieldProps<Value>) {
  const { legend, hint, options, values, onChange } = props;
  const toggle = (value: Value): void =>
    onChange(values.includes(value) ? values.filter((each) => each !== value) : [...values, value]);
  return (
    <fieldset className="choice-fields">
      <legend>{legend}</legend>
      {hint !== undefined && <p className="hint">{hint}</p>}
      {options.map(({ value, label }) => (
        <label key={value} className="choice-field">
          <input type="checkbox" checked={values.includes(value)} onChange={() => toggle(value)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
