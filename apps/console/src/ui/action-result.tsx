import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { RequestDetail, RequestRow } from '../api/operations.js';
import { useRead } from '../api/queries.js';
import { refreshAll } from '../api/refresh.js';
import { describeRequest } from '../format/request-outcome.js';
import { Button } from './button.js';
import { focusHeading, useFocusOnResult } from './focus.js';
import './action-result.css';

/** A request that a person has sent. */
export interface SentRequest {
  readonly request: RequestRow;
  /** What is said when it has been carried out. */
  readonly done: (request: RequestRow) => string;
}

interface ActionResultProps {
  readonly sent: readonly SentRequest[];
  readonly onDismiss: () => void;
}

/** How the last actions of the person ended: done, stored for later, or refused and why. */
export function ActionResult({ sent, onDismiss }: ActionResultProps) {
  const element = useFocusOnResult<HTMLDivElement>(
    sent.map(({ request }) => request.id).join(' ') || undefined,
  );
  const hide = (): void => {
    focusHeading();
    onDismiss();
  };
  return (
    <div ref={element} role="status" tabIndex={-1} className="action-results">
      {sent.map((each) => (
        <Result key={each.request.id} {...each} />
      ))}
      {sent.length > 0 && (
        <Button className="action-results-dismiss" onClick={hide}>
          Hide {sent.length === 1 ? 'this message' : 'these messages'}
        </Button>
      )}
    </div>
  );
}

/** Without a wait in the API, which would take the place of other readings. */
const FOLLOW_MS = 2_000;

/** Follows an open request to its end. */
function Result({ request, done }: SentRequest) {
  const isSentOpen = describeRequest(request, done).isOpen;
  const [hasEnded, setHasEnded] = useState(!isSentOpen);
  const { data } = useRead('/v1/requests/{id}', {
    parts: { id: request.id },
    enabled: isSentOpen && !hasEnded,
    refetchInterval: FOLLOW_MS,
  });
  const present: RequestRow | RequestDetail = data ?? request;
  const { isOpen, isFailed, text } = describeRequest(present, done);
  if (!isOpen && !hasEnded) setHasEnded(true);
  const client = useQueryClient();
  useEffect(() => {
    if (isSentOpen && !isOpen) void refreshAll(client, true);
  }, [client, isSentOpen, isOpen]);
  const tone = isFailed ? 'critical' : isOpen ? 'info' : 'done';
  return (
    <p className={`action-result action-result-${tone}`}>
      <span aria-hidden="true">{isFailed ? '■' : isOpen ? '…' : '✓'}</span> {text}
    </p>
  );
}
