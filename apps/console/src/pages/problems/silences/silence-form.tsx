import { useState } from 'react';
import { useAction } from '../../../api/actions.js';
import type { RequestRow, SilenceMatchers } from '../../../api/operations.js';
import { useRead } from '../../../api/queries.js';
import { formatTime } from '../../../format/market-time.js';
import { countOf } from '../../../format/count.js';
import { ActionForm } from '../../../ui/action-form.js';
import type { SentRequest } from '../../../ui/action-result.js';
import { RadioField } from '../../../ui/choice-fields.js';
import { TextField } from '../../../ui/form-fields.js';
import { Note } from '../../../ui/notes.js';
import { MatcherFields } from './matcher-fields.js';
import { SILENCE_ENDS, toBodyEnd, type SilenceEnd } from './silence-end.js';
import './silences.css';
import { coversNothing, coversProblem, explainSilence, withoutEmpty } from './silence-matchers.js';

interface SilenceFormProps {
  /** What it covers unless the person changes it. */
  readonly initial: SilenceMatchers;
  readonly onSent: (sent: SentRequest) => void;
  readonly onClose: () => void;
}

/** Adds a silence. It says in words what will be hidden. */
export function SilenceForm({ initial, onSent, onClose }: SilenceFormProps) {
  const action = useAction('/v1/silences');
  const [matchers, setMatchers] = useState(initial);
  const [end, setEnd] = useState<SilenceEnd>('1h');
  const [until, setUntil] = useState('');
  const isOfNothing = coversNothing(matchers);
  const send = (comment = ''): void => {
    const bodyEnd = toBodyEnd(end, until);
    if (isOfNothing || bodyEnd === undefined) return;
    action.mutate(
      { body: { comment, matchers: withoutEmpty(matchers), ...bodyEnd } },
      { onSuccess: (request) => onSent({ request, done: describeAdded }) },
    );
  };
  return (
    <ActionForm
      title="Silence"
      explanation="A silence keeps messages from every sink for a time. It ends by itself."
      submit="Add the silence"
      comment="required"
      error={action.error}
      isPending={action.isPending}
      onSubmit={send}
      onClose={onClose}
    >
      <RadioField legend="For how long" options={SILENCE_ENDS} value={end} onChange={setEnd} />
      {end === 'until' && (
        <TextField
          label="Ends at (market time, AWST)"
          type="datetime-local"
          required
          value={until}
          onChange={setUntil}
        />
      )}
      <details open={coversNothing(initial)}>
        <summary>What it covers</summary>
        <MatcherFields value={matchers} onChange={setMatchers} />
      </details>
      {isOfNothing ? (
        <Note kind="warning">Choose at least one thing that the silence covers.</Note>
      ) : (
        <Effect matchers={matchers} />
      )}
    </ActionForm>
  );
}

function describeAdded({ result = {} }: RequestRow): string {
  const { endsAt } = result as { readonly endsAt?: string };
  return `The silence is added.${endsAt === undefined ? '' : ` It ends on ${formatTime(endsAt)}.`}`;
}

/** Open problems that are compared: a page of the API. */
const MAX_COMPARED = 100;

/** What the silence does, and which open problems it covers now. */
function Effect({ matchers }: { readonly matchers: SilenceMatchers }) {
  const { data } = useRead('/v1/problems', { query: { limit: MAX_COMPARED } });
  const covered = data?.items.filter((problem) => coversProblem(matchers, problem)) ?? [];
  const isKnown = data !== undefined && data.next === undefined && (matchers.types ?? []).length === 0;
  return (
    <div className="silence-effect">
      <h3>What this does</h3>
      <ul>
        {explainSilence(matchers).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {isKnown && (
          <li>
            It covers {countOf(covered.length, 'problem')} that {covered.length === 1 ? 'is' : 'are'} open
            now.
          </li>
        )}
      </ul>
    </div>
  );
}
