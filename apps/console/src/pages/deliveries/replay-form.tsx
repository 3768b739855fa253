import { useState } from 'react';
import { useAction } from '../../api/actions.js';
import type { RequestRow } from '../../api/operations.js';
import { useRead } from '../../api/queries.js';
import { toMarketInstant } from '../../format/local-time.js';
import { countOf } from '../../format/count.js';
import { changedBy } from '../../format/request-outcome.js';
import { splitList } from '../../format/search-values.js';
import { useCaller } from '../../session/caller.js';
import { ActionForm } from '../../ui/action-form.js';
import type { SentRequest } from '../../ui/action-result.js';
import { SelectField, TextField } from '../../ui/form-fields.js';

interface ReplayFormProps {
  /** Chosen at first. */
  readonly sink?: string;
  readonly onSent: (sent: readonly SentRequest[]) => void;
  readonly onClose: () => void;
}

/** Gives a sink archived events that it has not had. */
export function ReplayForm({ sink: initialSink = '', onSent, onClose }: ReplayFormProps) {
  const action = useAction('/v1/replay');
  const [sink, setSink] = useState(initialSink);
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const [types, setTypes] = useState('');
  const [participants, setParticipants] = useState('');
  const send = (comment: string | undefined): void => {
    const [from, to] = [toMarketInstant(since), toMarketInstant(until)];
    if (from === undefined) return;
    const lists = { types: splitList(types), participants: splitList(participants) };
    action.mutate(
      {
        body: {
          sink,
          since: from,
          ...(to !== undefined && { until: to }),
          ...(lists.types.length > 0 && { types: lists.types }),
          ...(lists.participants.length > 0 && { participants: lists.participants }),
          ...(comment !== undefined && { comment }),
        },
      },
      {
        onSuccess: (request) => {
          onSent([{ request, done: (row) => describeDone(sink, row) }]);
          onClose();
        },
      },
    );
  };
  return (
    <ActionForm
      title="Replay"
      explanation="The sink gets the archived events of this time that it has not had, in the order of the archive. Rules do not apply. Each is a notice, and alerts come before them."
      submit="Replay"
      comment="optional"
      error={action.error}
      isPending={action.isPending}
      onSubmit={send}
      onClose={onClose}
    >
      <SinkField value={sink} onChange={setSink} />
      <TextField
        label="Archived since (market time, AWST)"
        type="datetime-local"
        required
        value={since}
        onChange={setSince}
      />
      <TextField
        label="Archived before (optional)"
        hint="Market time. Empty means now."
        type="datetime-local"
        value={until}
        onChange={setUntil}
      />
      <TextField
        label="Types of events (optional)"
        hint="With commas, such as margin.*, payment.due. None means all."
        value={types}
        onChange={setTypes}
      />
      <TextField
        label="Participants (optional)"
        hint="Codes with commas. None means all that you see."
        value={participants}
        onChange={setParticipants}
      />
    </ActionForm>
  );
}

interface SinkFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Only a person of all participants may list the sinks. */
function SinkField({ value, onChange }: SinkFieldProps) {
  const { allParticipants } = useCaller();
  const { data } = useRead('/v1/sinks', { enabled: allParticipants });
  const names = data?.items.filter(({ inConfigFile }) => inConfigFile).map(({ name }) => name) ?? [];
  return names.length === 0 ? (
    <TextField label="Sink" required value={value} onChange={onChange} />
  ) : (
    <SelectField label="Sink" options={names} required value={value} onChange={onChange} />
  );
}

function describeDone(sink: string, request: RequestRow): string {
  const changed = changedBy(request);
  return changed === 0
    ? `Nothing was changed: ${sink} has had all archived events of this time.`
    : `${countOf(changed, 'delivery', 'deliveries')} to ${sink} added.`;
}
