import { useId } from 'react';
import { CHOICES } from '../../../api/operations.js';
import type { EventFilter } from './event-filter.js';

const LABELS: readonly (readonly [value: string, label: string])[] = [
  ['', 'Any'],
  ['warning,critical', 'Warning and critical'],
  ...CHOICES['/v1/events'].severity.map((each) => [each, `Only ${each}`] as const),
];

interface SeverityFieldProps {
  readonly value: EventFilter['severities'];
  readonly onChange: (value: EventFilter['severities']) => void;
}

export function SeverityField({ value, onChange }: SeverityFieldProps) {
  const id = useId();
  const text = value.join(',');
  const isListed = LABELS.some(([each]) => each === text);
  return (
    <div className="field">
      <label htmlFor={id}>Severity</label>
      <select
        id={id}
        value={text}
        onChange={({ target }) =>
          onChange(target.value.split(',').filter(Boolean) as unknown as EventFilter['severities'])
        }
      >
        {LABELS.map(([each, label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
        {!isListed && <option value={text}>{value.join(', ')}</option>}
      </select>
    </div>
  );
}
