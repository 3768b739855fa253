import { Component, type ReactNode } from 'react';
import { Button } from './button.js';
import { Note } from './notes.js';

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** Takes the place of what failed. Default: that the page failed, and why. */
  readonly fallback?: ReactNode;
}

/** Keeps what is around it usable when its content fails, or a file of the console cannot be loaded. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {};

  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { children, fallback } = this.props;
    const { error } = this.state;
    if (error === undefined) return children;
    if (fallback !== undefined) return fallback;
    return (
      <Note kind="critical">
        <strong>This page cannot be shown.</strong> The server does not respond, or the console has a new
        version. <Button onClick={() => location.reload()}>Reload the page</Button>
        <p className="hint">{error.message}</p>
      </Note>
    );
  }
}
