import { useId } from 'react';
import { useAction } from '../../api/actions.js';
import type { RetriedLetter } from '../../api/operations.js';
import { ActionForm } from '../../ui/action-form.js';

interface RetryFormProps {
  readonly id: string;
  readonly verified: boolean;
  readonly onClose: () => void;
  readonly onDone: (retried: RetriedLetter) => void;
}

/** Asks before one dead letter is queued again. */
export function RetryForm({ id, verified, onClose, onDone }: RetryFormProps) {
  const retry = useAction('/v1/dead-letters/{id}/retry');
  const checkbox = useId();
  return (
    <ActionForm
      title="Retry the dead letter"
      explanation="The event is checked and queued again. It leaves the list once it is published."
      submit="Retry"
      isDangerous={!verified}
      comment="optional"
      error={retry.error}
      isPending={retry.isPending}
      onSubmit={(comment) =>
        retry.mutate(
          {
            parts: { id },
            body: { ...(comment !== undefined && { comment }), ...(!verified && { unverified: true }) },
            wait: false,
          },
          { onSuccess: onDone },
        )
      }
      onClose={onClose}
    >
      {!verified && (
        <label htmlFor={checkbox} className="operations-confirm">
          <input id={checkbox} type="checkbox" required /> I have compared the event with the market
          operator&apos;s interface, and accept it although the bridge did not queue it.
        </label>
      )}
    </ActionForm>
  );
}
