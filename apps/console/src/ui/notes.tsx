import type { ReactNode } from 'react';
import { ApiError } from '../api/api-client.js';
import { Button } from './button.js';

interface NoteProps {
  readonly kind: 'info' | 'warning' | 'critical';
  /** Whether people who do not see the page hear it at once; otherwise when they have heard the rest. */
  readonly isUrgent?: boolean;
  readonly children: ReactNode;
}

/** A message of the page to the person. */
export function Note({ kind, isUrgent = kind !== 'info', children }: NoteProps) {
  return (
    <div className={`note note-${kind}`} role={isUrgent ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

interface ErrorNoteProps {
  readonly error: Error;
  readonly onRetry?: () => void;
  /** False for what the person did not ask for: the parts of a page may fail together. */
  readonly isUrgent?: boolean;
}

/** What went wrong, and what to do. What does not exist is not read again. */
export function ErrorNote({ error, onRetry, isUrgent = true }: ErrorNoteProps) {
  const title = error instanceof ApiError ? error.title : 'Something went wrong';
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <Note kind="critical" isUrgent={isUrgent}>
      <strong>{title}.</strong> {error.message !== title && error.message}{' '}
      {onRetry && !isMissing && <Button onClick={onRetry}>Try again</Button>}
    </Note>
  );
}

/** What a list says when it has no rows. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return <p className="empty">{children}</p>;
}

/** Takes the place of content that is still read. */
export function Loading({ what, lines = 3 }: { readonly what: string; readonly lines?: number }) {
  return (
    <div className="loading" role="status" aria-label={`Loading ${what}`}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} className="skeleton" />
      ))}
    </div>
  );
}
