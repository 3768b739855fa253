import type { SinkRow } from '../../api/operations.js';
import { useMayAct } from '../../session/caller.js';
import { Button } from '../../ui/button.js';
import type { SinkFormName } from './sink-forms.js';

interface SinkActionsProps {
  readonly sink: SinkRow;
  readonly onOpen: (form: SinkFormName) => void;
}

/** What the person can do about a sink, or why nothing. */
export function SinkActions({ sink, onOpen }: SinkActionsProps) {
  const mayAct = useMayAct();
  const { name, state, inConfigFile, parked, pending } = sink;
  if (!mayAct) return <p className="hint">Only operators test, enable and disable sinks.</p>;
  const button = (form: SinkFormName, label: string, kind: 'plain' | 'primary' | 'danger' = 'plain') => (
    <Button kind={kind} onClick={() => onOpen(form)} aria-label={`${label} ${name}`}>
      {label}
    </Button>
  );
  return inConfigFile ? (
    <div className="buttons">
      {button('test', 'Test')}
      {button('replay', 'Replay')}
      {parked > 0 && button('resend', 'Resend all parked')}
      {state === 'disabled' ? button('enable', 'Enable', 'primary') : button('disable', 'Disable', 'danger')}
    </div>
  ) : (
    <>
      {pending + parked > 0 && <div className="buttons">{button('skip', 'Skip all', 'danger')}</div>}
      <p className="hint">It cannot be tested, enabled or disabled while CONFIG_FILE does not have it.</p>
    </>
  );
}
