import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { useLive } from '../api/live.js';
import { useCaller } from '../session/caller.js';
import { signOut } from '../session/sign-in.js';
import { Badge, type Tone } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { ErrorNote, Loading } from '../ui/notes.js';
import { MarketTime, useNow } from '../ui/values.js';
import { ErrorBoundary } from '../ui/error-boundary.js';
import { PAGES } from './pages.js';

/** What surrounds every page: navigation, clock, connection, and the person. */
export function Shell() {
  const [isOpen, setIsOpen] = useState(false);
  // The address changes before the next page is loaded. Until then the page before stays as it is.
  const path = useRouterState({ select: ({ matches }) => matches.at(-1)?.pathname ?? '' });
  useEffect(() => setIsOpen(false), [path]);
  const { allParticipants } = useCaller();
  const pages = PAGES.filter(({ needsAllParticipants }) => allParticipants || needsAllParticipants !== true);
  return (
    <div className="shell">
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <header className="top-bar">
        <Button
          className="menu-button"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setIsOpen(!isOpen)}
        >
          Menu
        </Button>
        <Link to="/" className="product">
          Settlement bus bridge
        </Link>
        <Clock />
        <Connection />
        <Person />
      </header>
      <nav id="navigation" className={isOpen ? 'navigation open' : 'navigation'} aria-label="Pages">
        {pages.map(({ to, label, parts = [] }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: to === '/', includeSearch: false }}
            activeProps={{ 'aria-current': 'page' }}
            {...(parts.some((part) => path.startsWith(part)) && { 'aria-current': 'page' })}
          >
            {label}
          </Link>
        ))}
      </nav>
      <main id="content" tabIndex={-1}>
        <ErrorBoundary key={path}>
          <Suspense fallback={<Loading what="the page" lines={6} />}>
            <Outlet />
          </Suspense>
        </ErrorBoundary>
      </main>
    </div>
  );
}

function Clock() {
  const now = useNow();
  return (
    <span className="clock">
      <span className="visually-hidden">Market time: </span>
      <MarketTime at={new Date(now).toISOString()} />{' '}
      <abbr title="Australian Western Standard Time, UTC+8">AWST</abbr>
    </span>
  );
}

const CONNECTIONS: Readonly<Record<ReturnType<typeof useLive>['state'], readonly [Tone, string]>> = {
  live: ['good', 'live'],
  connecting: ['muted', 'connecting'],
  disconnected: ['critical', 'connection lost'],
};
const TOO_MANY_TABS = ['warning', 'not live: too many open tabs'] as const;

function Connection() {
  const { state, hasTooManyStreams } = useLive();
  const [tone, text] = hasTooManyStreams ? TOO_MANY_TABS : CONNECTIONS[state];
  return (
    <span role="status">
      <Badge tone={tone}>{text}</Badge>
    </span>
  );
}

function Person() {
  const { name, role, allParticipants, participants = [] } = useCaller();
  const sees = allParticipants ? 'all participants' : participants.join(', ');
  const [error, setError] = useState<Error>();
  const leave = (): void => {
    setError(undefined);
    signOut().catch(setError);
  };
  return (
    <>
      <span className="person">
        <span title={`The role is ${role}. Sees ${sees}.`}>
          {name} <span className="hint">({role === 'operator' ? 'may act' : 'reads only'})</span>
        </span>
        <Button onClick={leave}>Sign out</Button>
      </span>
      {error && <ErrorNote error={new Error(`You may still be signed in. ${error.message}`)} />}
    </>
  );
}
