import { useState } from 'react';
import { useAction } from '../../api/actions.js';
import { useMayAct } from '../../session/caller.js';
import { ActionForm } from '../../ui/action-form.js';
import { ActionResult, type SentRequest } from '../../ui/action-result.js';
import { Button } from '../../ui/button.js';
import { describeRecheck } from './recheck-outcome.js';

interface RecheckProps {
  /** Whether a message is open. The result stays when it is released. */
  readonly isOpen?: boolean;
}

/** Evaluates the quarantine again, and says what was released, or why the person cannot. */
export function Recheck({ isOpen = true }: RecheckProps) {
  const mayAct = useMayAct();
  const recheck = useAction('/v1/quarantine/recheck');
  const [isAsking, setIsAsking] = useState(false);
  const [sent, setSent] = useState<readonly SentRequest[]>([]);
  if (!mayAct) return isOpen && <p className="hint">Only operators evaluate the quarantine again.</p>;
  return (
    <>
      {isOpen && (
        <div className="buttons">
          <Button onClick={() => setIsAsking(true)}>Evaluate again</Button>
        </div>
      )}
      <ActionResult sent={sent} onDismiss={() => setSent([])} />
      {isAsking && (
        <ActionForm
          title="Evaluate the quarantine again"
          explanation="The subscriber verifies all open messages again with the configuration in use. Those that pass are archived and alerted with the mark late."
          submit="Evaluate again"
          comment="optional"
          error={recheck.error}
          isPending={recheck.isPending}
          onSubmit={(comment) =>
            recheck.mutate(
              { body: comment === undefined ? {} : { comment } },
              {
                onSuccess: (request) => {
                  setSent([{ request, done: describeRecheck }]);
                  setIsAsking(false);
                },
              },
            )
          }
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}
