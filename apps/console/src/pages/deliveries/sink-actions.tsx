import { useState } from 'react';
import type { SinkRow } from '../../api/operations.js';
import { useMayAct } from '../../session/caller.js';
import type { SentRequest } from '../../ui/action-result.js';
import { Button } from '../../ui/button.js';
import { ReplayForm } from './replay-form.js';
import { BacklogForm, SinkForm, type SinkAction } from './sink-forms.js';

type OpenForm = SinkAction | 'replay' | 'resend' | 'skip';

interface SinkActionsProps {
  readonly sink: SinkRow;
  readonly onSent: (sent: readonly SentRequest[]) => void;
}

/** What the person can do about a sink, or why nothing. */
export function SinkActions({ sink, onSent }: SinkActionsProps) {
  const mayAct = useMayAct();
  const [open, setOpen] = useState<OpenForm>();
  const { name, state, inConfigFile, parked, pending } = sink;
  if (!mayAct) return <p className="hint">Only operators test, enable and disable sinks.</p>;
  const close = (): void => setOpen(undefined);
  const button = (form: OpenForm, label: string, kind: 'plain' | 'primary' | 'danger' = 'plain') => (
    <Button kind={kind} onClick={() => setOpen(form)} aria-label={`${label} ${name}`}>
      {label}
    </Button>
  );
  return (
    <>
      {inConfigFile ? (
        <div className="buttons">
          {button('test', 'Test')}
          {button('replay', 'Replay')}
          {parked > 0 && button('resend', 'Resend all parked')}
          {state === 'disabled'
            ? button('enable', 'Enable', 'primary')
            : button('disable', 'Disable', 'danger')}
        </div>
      ) : (
        <>
          {pending + parked > 0 && <div className="buttons">{button('skip', 'Skip all', 'danger')}</div>}
          <p className="hint">It cannot be tested, enabled or disabled while CONFIG_FILE does not have it.</p>
        </>
      )}
      {open === 'replay' && <ReplayForm sink={name} onSent={onSent} onClose={close} />}
      {(open === 'resend' || open === 'skip') && (
        <BacklogForm action={open} sink={sink} onSent={onSent} onClose={close} />
      )}
      {(open === 'test' || open === 'enable' || open === 'disable') && (
        <SinkForm action={open} name={name} onSent={onSent} onClose={close} />
      )}
    </>
  );
}
