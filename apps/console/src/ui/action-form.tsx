import { useId, useState, type ReactNode, type SubmitEvent } from 'react';
import type { ApiError } from '../api/api-client.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { useFocusOnResult } from './focus.js';
import { ErrorNote } from './notes.js';
import './action-result.css';

interface ActionFormProps {
  readonly title: string;
  /** What happens, in one sentence. */
  readonly explanation: ReactNode;
  /** On the button that sends the request. */
  readonly submit: string;
  readonly isDangerous?: boolean;
  readonly comment: 'optional' | 'required' | 'none';
  /** Further fields. */
  readonly children?: ReactNode;
  readonly error: ApiError | null;
  readonly isPending: boolean;
  readonly onSubmit: (comment: string | undefined) => void;
  readonly onClose: () => void;
}

/** Asks for the comment of an action, sends it, and shows why it was refused. */
export function ActionForm(props: ActionFormProps) {
  const { title, explanation, submit, comment, children, error, isPending, onSubmit, onClose } = props;
  const id = useId();
  const [text, setText] = useState('');
  // The button that was pressed loses the focus when it is disabled.
  const sending = useFocusOnResult<HTMLParagraphElement>(isPending || undefined);
  const send = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    onSubmit(text.trim() || undefined);
  };
  return (
    <Dialog title={title} onClose={onClose} isBusy={isPending}>
      <form onSubmit={send} className="stack">
        <p>{explanation}</p>
        {children}
        {comment !== 'none' && (
          <div className="field">
            <label htmlFor={id}>Comment{comment === 'optional' && ' (optional)'}</label>
            <textarea
              id={id}
              rows={3}
              maxLength={1_000}
              required={comment === 'required'}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </div>
        )}
        {error && <ErrorNote error={error} />}
        <p ref={sending} role="status" tabIndex={-1} className="action-sending">
          {isPending && 'Sending…'}
        </p>
        <div className="buttons">
          <Button type="submit" kind={props.isDangerous === true ? 'danger' : 'primary'} disabled={isPending}>
            {submit}
          </Button>
          <Button onClick={onClose} disabled={isPending}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
