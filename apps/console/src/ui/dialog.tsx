import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { Button } from './button.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog: it keeps the keyboard, Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // An element that has left the document returns no focus, so the dialog is closed before.
  useLayoutEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      // The browser returns the focus only from a dialog that is still in the page.
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={id} onClose={onClose} onCancel={onClose}>
      <div className="section-header">
        <h2 id={id}>{title}</h2>
        <Button onClick={onClose} aria-label="Close the dialog">
          ✕
        </Button>
      </div>
      {children}
    </dialog>
  );
}
