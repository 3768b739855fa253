import { Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useLiveEvents, type LiveEvent } from '../../api/live.js';
import { Severity } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Amount, MarketTime } from '../../ui/values.js';
import { nextAlert, type Alert } from './alerts.js';

/** The newest alert that arrived while the page is open, until it ends or the person closes it. */
export function AlertBanner() {
  const [alert, setAlert] = useState<Alert>();
  useLiveEvents(useCallback((event: LiveEvent) => setAlert((present) => nextAlert(present, event)), []));
  // The region is there before its content, so that screen readers announce the content.
  return <div role="alert">{alert && <Banner alert={alert} onClose={() => setAlert(undefined)} />}</div>;
}

function Banner({ alert, onClose }: { readonly alert: Alert; readonly onClose: () => void }) {
  const { eventId, participant, severity, what, at, margin, threshold } = alert;
  return (
    <div className={`note note-${severity} overview-alert`}>
      <p>
        <Severity value={severity} />{' '}
        <strong>
          {participant}: {what}
        </strong>
        {margin !== undefined && (
          <>
            {', '}
            <Amount value={margin} />
          </>
        )}
        {threshold !== undefined && (
          <>
            {' '}
            (threshold <Amount value={threshold} />)
          </>
        )}{' '}
        at <MarketTime at={at} short />
      </p>
      <p className="buttons">
        <Link to="/events/$id" params={{ id: eventId }}>
          Open the event
        </Link>
        <Button onClick={onClose} aria-label="Close the alert">
          ✕
        </Button>
      </p>
    </div>
  );
}
