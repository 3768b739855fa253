import { useState } from 'react';
import { useAction } from '../../api/actions.js';
import { countOf } from '../../format/count.js';
import { ActionForm } from '../../ui/action-form.js';
import { Button } from '../../ui/button.js';
import { useFocusOnResult } from '../../ui/focus.js';
import { Note } from '../../ui/notes.js';
import { describeOutcome, summarisePage } from './retry-outcomes.js';

/** Retries dead letters a page at a time, and says what became of them. */
export function RetryPage({ hasLetters }: { readonly hasLetters: boolean }) {
  const retry = useAction('/v1/dead-letters/retry');
  const [isAsking, setIsAsking] = useState(false);
  const message = useFocusOnResult<HTMLDivElement>(retry.data);
  const next = retry.data?.next;
  const submit = (comment: string | undefined): void => {
    const body = { ...(comment !== undefined && { comment }), ...(next !== undefined && { cursor: next }) };
    retry.mutate({ body, wait: false }, { onSuccess: () => setIsAsking(false) });
  };
  return (
    <>
      <div ref={message} tabIndex={-1}>
        {retry.data && (
          <Note kind={summarisePage(retry.data).refused.length > 0 ? 'warning' : 'info'}>
            <Outcome page={retry.data} />
          </Note>
        )}
      </div>
      {hasLetters && (
        <div className="buttons">
          <Button kind="primary" onClick={() => setIsAsking(true)}>
            {next === undefined ? 'Retry up to 100' : 'Retry the next 100'}
          </Button>
        </div>
      )}
      {isAsking && (
        <ActionForm
          title="Retry dead letters"
          explanation="Up to 100 dead letters are checked and queued again, the oldest first. Unverified ones are refused: retry each of them after you have read it."
          submit="Retry"
          comment="optional"
          error={retry.error}
          isPending={retry.isPending}
          onSubmit={submit}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}

function Outcome({ page }: { readonly page: Parameters<typeof summarisePage>[0] }) {
  const { queued, refused, others } = summarisePage(page);
  return (
    <>
      {countOf(queued, 'dead letter')} queued again, {refused.length} refused
      {others > 0 && `, ${others} published, queued or removed before`}.
      {refused.length > 0 && (
        <ul>
          {refused.map((letter) => (
            <li key={letter.id}>{describeOutcome(letter)}</li>
          ))}
        </ul>
      )}
    </>
  );
}
