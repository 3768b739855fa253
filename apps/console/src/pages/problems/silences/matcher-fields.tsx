import { CHOICES, type SilenceMatchers } from '../../../api/operations.js';
import { ALERT_REASON_NAMES } from '@ssb/events/problems';
import { useState } from 'react';
import { toWords } from '../../../format/names.js';
import { splitList } from '../../../format/search-values.js';
import { useCaller } from '../../../session/caller.js';
import { CheckField } from '../../../ui/choice-fields.js';
import { TextField } from '../../../ui/form-fields.js';
import { KIND_NAMES } from '../problem-titles.js';

const KINDS = CHOICES['/v1/problems'].kind.map((value) => ({ value, label: KIND_NAMES[value] }));
const SEVERITIES = CHOICES['/v1/problems'].severity.map((value) => ({ value, label: value }));
const REASONS = ALERT_REASON_NAMES.map((value) => ({ value, label: toWords(value) }));

interface MatcherFieldsProps {
  readonly value: SilenceMatchers;
  readonly onChange: (value: SilenceMatchers) => void;
}

/** What a silence covers. */
export function MatcherFields({ value, onChange }: MatcherFieldsProps) {
  const set = (changes: SilenceMatchers): void => onChange({ ...value, ...changes });
  return (
    <div className="stack">
      <CheckField
        legend="Problems"
        hint="None means all but faults of the bridge."
        options={KINDS}
        values={value.problems ?? []}
        onChange={(problems) => set({ problems })}
      />
      <ParticipantField
        values={value.participants ?? []}
        onChange={(participants) => set({ participants })}
      />
      <CheckField
        legend="Severities"
        hint="None means all."
        options={SEVERITIES}
        values={value.severities ?? []}
        onChange={(severities) => set({ severities })}
      />
      <ListField
        label="Types of events (optional)"
        hint="With commas, such as payment.due, margin.*"
        values={value.types ?? []}
        onChange={(types) => set({ types })}
      />
      <details>
        <summary>Reasons of faults of the bridge</summary>
        <CheckField
          legend="Reasons"
          hint="None means all."
          options={REASONS}
          values={value.reasons ?? []}
          onChange={(reasons) => set({ reasons })}
        />
      </details>
    </div>
  );
}

interface ListProps {
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

/** A caller of some participants can name only these, and must name one. */
function ParticipantField({ values, onChange }: ListProps) {
  const { allParticipants, participants = [] } = useCaller();
  return allParticipants ? (
    <ListField
      label="Participants (optional)"
      hint="Codes with commas. None means all."
      values={values}
      onChange={onChange}
    />
  ) : (
    <CheckField
      legend="Participants"
      hint="At least one."
      options={participants.map((code) => ({ value: code, label: code }))}
      values={values}
      onChange={onChange}
    />
  );
}

/** A text with commas. It keeps what the person types, also a comma at its end. */
function ListField({
  label,
  hint,
  values,
  onChange,
}: ListProps & { readonly label: string; readonly hint: string }) {
  const [text, setText] = useState(values.join(', '));
  return (
    <TextField
      label={label}
      hint={hint}
      value={text}
      onChange={(typed) => {
        setText(typed);
        onChange(splitList(typed));
      }}
    />
  );
}
