import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import { useLastSign, useLive } from '../../api/live.js';
import { REFRESH_MS } from '../../api/queries.js';
import { Empty, ErrorNote, Loading, Note } from '../../ui/notes.js';
import { Page } from '../../ui/page.js';
import { EventFilters } from './list/event-filters.js';
import {
  isFiltered,
  readFilter,
  SUBJECT_EXAMPLE,
  writeFilter,
  type EventFilter,
  type Search,
} from './list/event-filter.js';
import { EventGrid } from './list/event-grid.js';
import { KeyboardHelp } from './list/keyboard-help.js';
import { MAX_ROWS, type EventListState } from './list/event-list.js';
import { useEventList } from './list/use-event-list.js';
import { useShortcuts } from './shortcuts.js';
import './list/events.css';

/** Archived events, the newest facts first, as they are archived. */
export function EventsPage() {
  const search: Search = useSearch({ strict: false });
  const address = JSON.stringify(search);
  const { filter, faults } = useMemo(() => readFilter(JSON.parse(address) as Search), [address]);
  const navigate = useNavigate();
  const { list, state } = useEventList(filter);
  const lastSign = useLastSign();
  const above = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const focusRow = (): void =>
    document.querySelector<HTMLElement>('.events-grid a[tabindex="0"]')?.focus({ preventScroll: true });
  useShortcuts({ '/': () => field.current?.focus() });
  return (
    <Page title="Events" readAt={state.hasRead ? Math.max(lastSign, state.readAt) : 0}>
      <div ref={above} className="events-above">
        <EventFilters
          filter={filter}
          onChange={(changed) => void navigate({ to: '/events', search: writeFilter(changed) })}
          search={field}
          onLeave={focusRow}
        />
        {faults.length > 0 && (
          <Note kind="warning">
            {faults.map((fault) => (
              <p key={fault}>Ignored: {fault}</p>
            ))}
          </Note>
        )}
        {state.error && <ErrorNote error={state.error} onRetry={() => void list.readNewest()} />}
        <StreamNote />
      </div>
      {state.hasRead
        ? state.rows.length > 0 && <EventGrid list={list} state={state} above={above} />
        : !state.error && <Loading what="the events" lines={8} />}
      {state.hasRead && <End state={state} filter={filter} />}
      <KeyboardHelp />
    </Page>
  );
}

/** How new events appear while the stream does not work. */
function StreamNote() {
  const { state, hasTooManyStreams } = useLive();
  if (state !== 'disconnected') return null;
  const seconds = REFRESH_MS / 1_000;
  return (
    <Note kind="warning">
      {hasTooManyStreams
        ? `You have too many open tabs of the console, in this browser or another. This page reads the events every ${seconds} s. Close a tab, and they appear at once.`
        : `The connection is lost. This page reads the events every ${seconds} s until it is back.`}
    </Note>
  );
}

/** What follows the last row. */
function End({ state, filter }: { readonly state: EventListState; readonly filter: EventFilter }) {
  const { rows, hasMore, isReadingMore } = state;
  if (rows.length === 0)
    return (
      <Empty>
        No event matches.{' '}
        {filter.subject !== '' && !filter.subject.includes('/') && (
          <>
            A subject begins with the participant, such as <code>{SUBJECT_EXAMPLE}</code>. Invoices are under{' '}
            <Link to="/money">Money</Link>.{' '}
          </>
        )}
        {isId(filter.subject) ? (
          <Link to="/events/$id" params={{ id: filter.subject }}>
            Open the event with the id {filter.subject}
          </Link>
        ) : (
          isFiltered(filter) && <Link to="/events">Show all events</Link>
        )}
      </Empty>
    );
  if (isReadingMore) return <p className="events-end hint">Reading earlier events…</p>;
  if (hasMore) return null;
  return (
    <p className="events-end hint">
      {rows.length >= MAX_ROWS
        ? `The list ends after ${MAX_ROWS.toLocaleString('en-AU')} events. Choose an earlier day under “To”.`
        : 'There are no earlier events.'}
    </p>
  );
}

/** Whether a text may be the beginning of an id. */
const isId = (text: string): boolean => /^[0-9a-f]{6}[0-9a-f-]{0,30}$/.test(text);
