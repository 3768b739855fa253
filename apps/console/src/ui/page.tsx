import { useEffect, useRef, type ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ApiError } from '../api/api-client.js';
import { useLive, type LiveState } from '../api/live.js';
import { formatDuration } from '../format/market-time.js';
import { ErrorNote, Loading } from './notes.js';
import { useNow } from './values.js';

interface PageProps {
  readonly title: string;
  /** Under the title: what the page is about, or filters. */
  readonly intro?: ReactNode;
  /** When the data of the page were read, epoch milliseconds; the oldest of several. Zero while nothing was read. */
  readonly readAt?: number;
  readonly children: ReactNode;
}

/** The keyboard begins at the top of the first page, with the link that skips the navigation. */
let isFirstPage = true;

/** The frame of a page: its title, the age of its data, and its content. */
export function Page({ title, intro, readAt, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // After a change of page the keyboard continues here.
  useEffect(() => {
    if (!isFirstPage) heading.current?.focus();
    isFirstPage = false;
  }, []);
  return (
    <>
      <title>{`${title} · Settlement bus bridge`}</title>
      <header className="page-header">
        <h1 tabIndex={-1} ref={heading}>
          {title}
        </h1>
        {readAt !== undefined && <Freshness readAt={readAt} />}
      </header>
      {intro}
      {children}
    </>
  );
}

/** From this age on the page says that its data are old. */
const STALE_MS = 60_000;

function Freshness({ readAt }: { readonly readAt: number }) {
  const now = useNow();
  const { state, hasTooManyStreams } = useLive();
  const ageMs = now - readAt;
  const isStale = readAt > 0 && ageMs > STALE_MS;
  // The announced sentence stays the same while the age counts on.
  return (
    <div className={isStale ? 'note note-warning' : 'freshness'}>
      <span role="status">{isStale && 'These data are more than a minute old.'}</span>{' '}
      {readAt > 0 && (
        <>
          {!isStale && `${hasTooManyStreams ? 'Not live, too many open tabs' : STATES[state]} · `}
          {isStale ? 'They were read' : 'read'} {formatDuration(ageMs)} ago
          {isStale &&
            (state === 'disconnected' && !hasTooManyStreams
              ? '. The connection to the server is lost.'
              : '.')}
        </>
      )}
    </div>
  );
}

const STATES: Readonly<Record<LiveState, string>> = {
  live: 'Live',
  connecting: 'Connecting',
  disconnected: 'Connection lost, trying again',
};

interface ContentProps<Data> {
  readonly of: Pick<UseQueryResult<Data, ApiError>, 'data' | 'error'> & { readonly refetch: () => unknown };
  /** What is read, in words, such as `the problems`. */
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}

/** What was read; otherwise that it is still read, or why it could not be read. Older data stay visible beside an error. */
export function Content<Data>({ of: { data, error, refetch }, what, children }: ContentProps<Data>) {
  return (
    <>
      {error && <ErrorNote error={error} isUrgent={false} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Loading what={what} /> : children(data)}
    </>
  );
}

interface SectionProps {
  readonly title: string;
  /** Beside the title, such as a link to the whole list. */
  readonly aside?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Section({ title, aside, className = '', children }: SectionProps) {
  return (
    <section className={`section ${className}`} aria-label={title}>
      <div className="section-header">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** A name, its value, and a key where another row has the same name. */
type Fact = readonly [name: string, value: ReactNode, key?: string];

/** Names and their values. */
export function Facts({ rows }: { readonly rows: readonly (Fact | false | undefined)[] }) {
  return (
    <dl className="facts">
      {rows.map(
        (row) =>
          row && (
            <div key={row[2] ?? row[0]}>
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
