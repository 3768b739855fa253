import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { Button } from './button.js';
import { focusHeading } from './focus.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Keeps the dialog open while a request is pending. */
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

/** A modal dialog: it keeps the keyboard, Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, onClose, isBusy = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // An element that has left the document returns no focus, so the dialog is closed before.
  useLayoutEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    element?.showModal();
    if (element) focusFirst(element);
    return () => {
      element?.close();
      // The browser returns the focus only from a dialog that is still in the page.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      else focusHeading();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      // A second Escape closes a dialog in Chromium although the first one was prevented.
      onClose={() => (isBusy ? dialog.current?.showModal() : onClose())}
      onCancel={(event) => (isBusy ? event.preventDefault() : onClose())}
    >
      <div className="section-header">
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        <Button onClick={onClose} disabled={isBusy} aria-label="Close the dialog">
          ✕
        </Button>
      </div>
      {children}
    </dialog>
  );
}

const FIELDS = 'input, select, textarea';

/** The first field, or the heading: a key that is typed at once must not close the dialog. */
function focusFirst(dialog: HTMLDialogElement): void {
  const fields = [...dialog.querySelectorAll<HTMLElement>(FIELDS)];
  const first = fields.find((field) => field.checkVisibility()) ?? dialog.querySelector('h2');
  first?.focus();
}
