import { useState } from 'react';
import type { DeliveryRow } from '../../api/operations.js';
import { countOf } from '../../format/count.js';
import type { SentRequest } from '../../ui/action-result.js';
import { Button } from '../../ui/button.js';
import { ChangeForm } from './change-form.js';
import { isAllowed, type DeliveryAction } from './delivery-selection.js';

interface SelectionBarProps {
  readonly rows: readonly DeliveryRow[];
  readonly selected: readonly DeliveryRow[];
  readonly onSelectAll: () => void;
  readonly onSelectNone: () => void;
  readonly onSent: (sent: readonly SentRequest[]) => void;
}

/** What can be done with the selected deliveries. An open form stays when the list becomes empty. */
export function SelectionBar({ rows, selected, onSelectAll, onSelectNone, onSent }: SelectionBarProps) {
  const [action, setAction] = useState<DeliveryAction>();
  const allowed = (each: DeliveryAction): readonly DeliveryRow[] =>
    selected.filter((delivery) => isAllowed(each, delivery));
  const [resendable, skippable] = [allowed('resend'), allowed('skip')];
  return (
    <>
      {rows.length > 0 && (
        <div className="deliveries-bar">
          <span role="status">
            {selected.length === 0
              ? 'Select deliveries to resend or skip them.'
              : `${countOf(selected.length, 'delivery', 'deliveries')} selected.`}
          </span>
          <div className="buttons">
            {selected.length < rows.length && (
              <Button onClick={onSelectAll}>Select all {rows.length.toLocaleString('en-AU')} shown</Button>
            )}
            {selected.length > 0 && <Button onClick={onSelectNone}>Select none</Button>}
            {resendable.length > 0 && (
              <Button kind="primary" onClick={() => setAction('resend')}>
                Resend {resendable.length}
              </Button>
            )}
            {skippable.length > 0 && (
              <Button kind="danger" onClick={() => setAction('skip')}>
                Skip {skippable.length}
              </Button>
            )}
          </div>
          {selected.length > 0 && (
            <Exceptions selected={selected} resendable={resendable} skippable={skippable} />
          )}
        </div>
      )}
      {action && (
        <ChangeForm
          action={action}
          deliveries={action === 'resend' ? resendable : skippable}
          onSent={onSent}
          onClose={() => setAction(undefined)}
        />
      )}
    </>
  );
}

interface ExceptionsProps {
  readonly selected: readonly DeliveryRow[];
  readonly resendable: readonly DeliveryRow[];
  readonly skippable: readonly DeliveryRow[];
}

/** Why an action does not apply to all that is selected. */
function Exceptions({ selected, resendable, skippable }: ExceptionsProps) {
  return (
    <span className="hint">
      {resendable.length < selected.length && 'Pending ones need no resend. '}
      {skippable.length < selected.length && 'Only pending and parked ones can be skipped.'}
    </span>
  );
}
