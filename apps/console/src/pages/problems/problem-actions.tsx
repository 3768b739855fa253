import { useState } from 'react';
import type { ProblemDetail, SilenceRow } from '../../api/operations.js';
import { useMayAct } from '../../session/caller.js';
import type { SentRequest } from '../../ui/action-result.js';
import { Button } from '../../ui/button.js';
import { AcknowledgeForm } from './acknowledge-form.js';
import { CloseForm } from './close-form.js';
import { EndSilenceForm } from './silences/end-silence-form.js';
import { SilenceForm } from './silences/silence-form.js';
import { matchersFor } from './silences/silence-matchers.js';

type OpenForm = 'acknowledge' | 'silence' | 'close' | { readonly ending: SilenceRow };

interface ProblemActionsProps {
  readonly problem: ProblemDetail;
  readonly onSent: (sent: SentRequest) => void;
}

/** What the person can do about a problem, or why nothing. */
export function ProblemActions({ problem, onSent }: ProblemActionsProps) {
  const mayAct = useMayAct();
  const [form, setForm] = useState<OpenForm>();
  const { state, silences, endedAt } = problem;
  if (!mayAct)
    return <p className="hint">You can read this. Only operators acknowledge, silence and close.</p>;
  const active = silences.filter((silence) => silence.state === 'active');
  const close = (): void => setForm(undefined);
  const common = {
    onClose: close,
    onSent: (sent: SentRequest) => {
      onSent(sent);
      close();
    },
  };
  return (
    <div className="problem-actions">
      {endedAt === undefined && (
        <div className="buttons">
          {state === 'open' && (
            <Button kind="primary" onClick={() => setForm('acknowledge')}>
              Acknowledge
            </Button>
          )}
          <Button onClick={() => setForm('silence')}>Silence</Button>
          <Button kind="danger" onClick={() => setForm('close')}>
            Close
          </Button>
        </div>
      )}
      {active.map((silence) => (
        <div key={silence.id} className="buttons">
          <Button onClick={() => setForm({ ending: silence })}>End the silence of {silence.author}</Button>
        </div>
      ))}
      {endedAt !== undefined && (
        <p className="hint">It has ended, so it cannot be acknowledged, silenced or closed.</p>
      )}
      {state === 'acknowledged' && (
        <p className="hint">It is acknowledged. It opens again if it becomes more severe.</p>
      )}
      {form === 'acknowledge' && <AcknowledgeForm problem={problem} {...common} />}
      {form === 'close' && <CloseForm problem={problem} {...common} />}
      {form === 'silence' && <SilenceForm initial={matchersFor(problem)} {...common} />}
      {typeof form === 'object' && <EndSilenceForm silence={form.ending} {...common} />}
    </div>
  );
}
