import { useState } from 'react';
import type { DeliveryDetail } from '../../api/operations.js';
import { useMayAct } from '../../session/caller.js';
import type { SentRequest } from '../../ui/action-result.js';
import { Button } from '../../ui/button.js';
import { ChangeForm } from './change-form.js';
import { explainRefusal, isAllowed, type DeliveryAction } from './delivery-selection.js';

interface DeliveryActionsProps {
  readonly delivery: DeliveryDetail;
  readonly onSent: (sent: readonly SentRequest[]) => void;
}

const ACTIONS = [
  { action: 'resend', label: 'Resend', kind: 'plain' },
  { action: 'skip', label: 'Skip', kind: 'danger' },
] as const;

/** What the person can do about a delivery, or why nothing. */
export function DeliveryActions({ delivery, onSent }: DeliveryActionsProps) {
  const mayAct = useMayAct();
  const [open, setOpen] = useState<DeliveryAction>();
  if (!mayAct) return <p className="hint">Only operators resend and skip deliveries.</p>;
  const refused = ACTIONS.filter(({ action }) => !isAllowed(action, delivery));
  return (
    <div className="delivery-actions">
      <div className="buttons">
        {ACTIONS.filter(({ action }) => isAllowed(action, delivery)).map(({ action, label, kind }) => (
          <Button key={action} kind={kind} onClick={() => setOpen(action)}>
            {label}
          </Button>
        ))}
      </div>
      {refused.map(({ action }) => (
        <p key={action} className="hint">
          {explainRefusal(action, delivery)}
        </p>
      ))}
      {open && (
        <ChangeForm
          action={open}
          deliveries={[delivery]}
          onSent={onSent}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}
