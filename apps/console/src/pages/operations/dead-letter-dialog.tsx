import { useState } from 'react';
import { useAction } from '../../api/actions.js';
import { useRead } from '../../api/queries.js';
import type { DeadLetter } from '../../api/operations.js';
import { describeType, shortType } from '../../format/event-type.js';
import { formatBytes } from '../../format/bytes.js';
import { ActionForm } from '../../ui/action-form.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { Note } from '../../ui/notes.js';
import { Content, Facts } from '../../ui/page.js';
import { MarketTime } from '../../ui/values.js';
import { describeOutcome } from './retry-outcomes.js';
import { LetterText } from './letter-text.js';
import { RetryForm } from './retry-form.js';

interface DeadLetterDialogProps {
  readonly id: string;
  readonly mayAct: boolean;
  readonly onClose: () => void;
  /** @param result what became of the dead letter */
  readonly onDone: (result: string) => void;
}

/** A dead letter with its event, and what can be done with it. */
export function DeadLetterDialog({ id, mayAct, onClose, onDone }: DeadLetterDialogProps) {
  const letter = useRead('/v1/dead-letters/{id}', { parts: { id } });
  const [action, setAction] = useState<'retry' | 'remove'>();
  const verified = letter.data?.verified ?? false;
  if (action === 'retry')
    return (
      <RetryForm
        id={id}
        verified={verified}
        onClose={() => setAction(undefined)}
        onDone={(retried) => onDone(describeOutcome(retried))}
      />
    );
  if (action === 'remove')
    return (
      <RemoveForm id={id} onClose={() => setAction(undefined)} onDone={() => onDone(`${id} was removed.`)} />
    );
  return (
    <Dialog title="Dead letter" onClose={onClose}>
      <div className="stack operations-letter">
        <Content of={letter} what="the dead letter">
          {(data) => <Letter letter={data} />}
        </Content>
        {mayAct && letter.data && (
          <div className="buttons">
            <Button kind="primary" onClick={() => setAction('retry')}>
              Retry…
            </Button>
            <Button kind="danger" onClick={() => setAction('remove')}>
              Remove…
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

function Letter({ letter }: { readonly letter: DeadLetter }) {
  const { verified, type, participant, subject, reason, cause, deadLetteredAt, retriedAt, event } = letter;
  return (
    <>
      {!verified && (
        <Note kind="warning">
          The bridge did not queue this event. Everything in it can be forged: compare it with the market
          operator&apos;s interface before you retry it.
        </Note>
      )}
      <Facts
        rows={[
          ['Reason', reason],
          cause !== undefined && ['Retried by itself when this ends', cause],
          ['Type', type === undefined ? 'unknown' : `${describeType(type)} (${shortType(type)})`],
          ['Subject', subject ?? 'unknown'],
          ['Participant', participant ?? 'unknown'],
          [
            'Verified',
            <Badge key="verified" tone={verified ? 'good' : 'critical'}>
              {verified ? 'yes' : 'no'}
            </Badge>,
          ],
          ['Since', <MarketTime key="since" at={deadLetteredAt} />],
          ['Retried', <MarketTime key="retried" at={retriedAt} />],
          ['Id', <code key="id">{letter.id}</code>],
          ['Size', formatBytes(letter.eventBytes)],
        ]}
      />
      {event ? (
        <LetterText id={letter.id} />
      ) : (
        <p className="hint">The event is too large to be shown (more than 1 MiB).</p>
      )}
    </>
  );
}

interface RemoveFormProps {
  readonly id: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function RemoveForm({ id, onClose, onDone }: RemoveFormProps) {
  const remove = useAction('/v1/dead-letters/{id}/remove');
  return (
    <ActionForm
      title="Remove the dead letter"
      explanation="Its event is deleted and never published. This cannot be undone."
      submit="Remove for good"
      isDangerous
      comment="optional"
      error={remove.error}
      isPending={remove.isPending}
      onSubmit={(comment) =>
        remove.mutate(
          { parts: { id }, body: comment === undefined ? {} : { comment }, wait: false },
          { onSuccess: onDone },
        )
      }
      onClose={onClose}
    />
  );
}
